import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The server sends what is built here under a policy that allows nothing inline and nothing from elsewhere. */
export default defineConfig({
  root: import.meta.dirname,
  // The server says where the page stands; its parts find each other from where they are.
  base: './',
  plugins: [react(), tailwind()],
  build: {
    target: 'es2022',
    // A picture that is part of the page would be a `data:` address in a style, where the policy allows none.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { '/api': 'http://127.0.0.1:4177' } },
});
