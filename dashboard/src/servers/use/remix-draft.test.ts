import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { capabilities } from '../../../test/factories.ts';
import { draftOf, offersOf, remixLists, withChoices, withoutSource, withSource } from './remix-draft.ts';

const none = { tools: [], prompts: [], resources: [], resourceTemplates: [] };

describe('the draft of a remix', () => {
  test('begins with what is stored, and a name that was not changed is none', () => {
    const tools = [
      { name: 'forecast', as: 'forecast' },
      { name: 'alerts', as: 'storms', title: 'Storms' },
    ];
    assert.deepEqual(draftOf({ remix: { sources: [{ server: 'weather', ...none, tools }] } } as never), {
      sources: [
        {
          server: 'weather',
          ...none,
          tools: [
            { name: 'forecast', title: null, description: null, as: null },
            { name: 'alerts', title: 'Storms', description: null, as: 'storms' },
          ],
        },
      ],
    });
    assert.deepEqual(draftOf({ remix: null }), { sources: [] });
  });

  test('gains and loses servers, and changes one list of one server', () => {
    const choices = [{ name: 'forecast', as: null, title: null, description: null }];
    const two = withSource(withSource({ sources: [] }, 'weather'), 'maps');
    const chosen = withChoices(two, 'maps', 'tools', choices);
    assert.deepEqual(chosen.sources, [
      { server: 'weather', ...none },
      { server: 'maps', ...none, tools: choices },
    ]);
    assert.deepEqual(
      withoutSource(chosen, 'weather').sources.map(({ server }) => server),
      ['maps'],
    );
    assert.equal(two.sources[1]?.tools?.length, 0);
  });

  test('keeps a chosen name that the server no longer offers', () => {
    const offered = capabilities({
      tools: [
        { name: 'forecast', description: 'Of a city' },
        { name: 'tides', description: 7 },
      ],
    });
    const choices = [{ name: 'gone' }, { name: 'forecast' }].map((one) => ({
      ...one,
      as: null,
      title: null,
      description: null,
    }));
    assert.deepEqual(offersOf(offered, 'tools', choices), [
      { name: 'forecast', description: 'Of a city', isOffered: true },
      { name: 'tides', description: '', isOffered: true },
      { name: 'gone', description: '', isOffered: false },
    ]);
  });

  test('names each kind of capability by its own key, and offers nothing of a server that was not read', () => {
    const offered = capabilities(
      Object.fromEntries(remixLists.map(({ list, nameKey }) => [list, [{ [nameKey]: `a ${list}` }]])),
    );
    for (const { list } of remixLists) {
      assert.deepEqual(
        offersOf(offered, list, []).map(({ name }) => name),
        [`a ${list}`],
      );
      assert.deepEqual(offersOf(null, list, []), []);
    }
  });
});
