import { defineConfig } from 'vite';

/** The server is asked through this one, so that the page needs no permission of another. */
export default defineConfig({ server: { proxy: { '/api': 'http://127.0.0.1:4177' } } });
