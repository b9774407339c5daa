/** Reads Markdown beside the page, which goes on answering meanwhile. */
import { treeOf } from './markdown-tree.ts';

self.addEventListener('message', ({ data }: MessageEvent<string>) => self.postMessage(treeOf(data)));
// The time of a text begins when this program is loaded.
self.postMessage('ready');
