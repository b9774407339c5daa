/** Lays graphs out beside the page, which goes on answering meanwhile. */
import { type LayoutInput, layOut } from './graph-layout.ts';

self.addEventListener('message', ({ data }: MessageEvent<LayoutInput>) => self.postMessage(layOut(data)));
