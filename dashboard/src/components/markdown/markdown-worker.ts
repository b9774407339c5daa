/** Parses Markdown in a worker, so that the page stays responsive. */
import { treeOf } from './markdown-tree.ts';

self.addEventListener('message', ({ data }: MessageEvent<string>) => self.postMessage(treeOf(data)));
// The time limit of a text starts when this program is loaded.
self.postMessage('ready');
