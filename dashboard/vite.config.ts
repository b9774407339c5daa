import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Where `npm run dev` finds a running server. */
const SERVER = process.env.SIGNALBOX_URL ?? 'http://127.0.0.1:4200';

/** Asks for the font with the page: letters that change their width move what stands beside them. */
const preloadFont: Plugin = {
  name: 'preload-font',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {} }) {
      const fonts = Object.keys(bundle).filter((name) => name.endsWith('.woff2'));
      const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true };
      return fonts.map((name) => ({ tag: 'link', attrs: { ...attrs, href: `./${name}` }, injectTo: 'head' }));
    },
  },
};

/** Its build for browsers reads entities with an element of the page, and the worker that reads Markdown has no page. */
const ENTITIES = 'decode-named-character-reference';

export default defineConfig({
  resolve: { alias: { [ENTITIES]: fileURLToPath(new URL(`../node_modules/${ENTITIES}/index.js`, import.meta.url)) } },
  plugins: [react(), tailwindcss(), preloadFont],
  // Addresses in the page are relative to its <base>, which the server sets: it may be reached below a path.
  base: './',
  build: {
    target: 'es2024',
    modulePreload: { polyfill: false },
    // The content policy allows no `data:` scripts or styles, and small files are cheap on one connection.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: {
    proxy: { '^/(api|docs|sign-in|sign-out|setup|account/keys|ui-settings)': { target: SERVER, ws: true } },
  },
});
