/** Computes layouts of graphs in a worker, so that the page stays responsive. */
import { type LayoutInput, layOut } from './graph-layout.ts';

self.addEventListener('message', ({ data }: MessageEvent<LayoutInput>) => self.postMessage(layOut(data)));
