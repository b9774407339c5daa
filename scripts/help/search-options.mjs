// How the search splits and weighs words: the same where the index is made and where it is read.

/** Names such as SIGNALBOX_PORT and flow-runs are found whole and by their words. */
function wordsOf(text) {
  const words = text.split(/[^\p{L}\p{N}_-]+/u).flatMap((word) => {
    const name = word.replace(/^[_-]+|[_-]+$/g, '');
    const pieces = name.split(/[_-]+/);
    return pieces.length > 1 ? [name, ...pieces] : [name];
  });
  return words.filter((word) => word !== '');
}

export const searchOptions = {
  fields: ['title', 'page', 'text'],
  storeFields: ['title', 'page', 'excerpt'],
  tokenize: wordsOf,
  searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
};
