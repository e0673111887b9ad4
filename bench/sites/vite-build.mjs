// The same pages built by `vite build` with Tailwind, as in a hand-made site: each page is a chunk of its own. Vite is
// installed from npm into a temporary folder, because the product does not use it.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { discard, scratch } from '../support/servers.mjs';

const run = promisify(execFile);
const packages = ['vite@7', 'tailwindcss@4', '@tailwindcss/vite@4', 'react@19', 'react-dom@19'];
const config = `import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
export default { plugins: [tailwind()], resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } } };`;
const main = `import './main.css';
import { createRoot } from 'react-dom/client';
const pages = import.meta.glob('./pages/*.tsx');
const { default: Page } = await pages['./pages/' + location.pathname.slice(1) + '.tsx']();
createRoot(document.body).render(<Page />);`;

/**
 * Builds each site, given as its files below `src` by path. Returns the times in milliseconds. If Vite cannot be
 * installed, prints the reason and returns undefined.
 */
export async function viteBuilds(sites) {
  const directory = scratch();
  const cwd = directory;
  try {
    writeFileSync(join(directory, 'package.json'), '{ "private": true, "type": "module" }');
    await run('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd, timeout: 180_000 });
    const took = [];
    for (const files of sites) took.push(await built(directory, files));
    return took;
  } catch (error) {
    process.stdout.write(`vite build is not measured: ${String(error.stderr || error.message).split('\n')[0]}\n`);
    return undefined;
  } finally {
    discard(directory);
  }
}

async function built(directory, files) {
  const all = {
    'index.html': '<!doctype html><body><script type="module" src="/src/main.tsx"></script></body>',
    'vite.config.js': config,
    'tsconfig.json': '{ "compilerOptions": { "jsx": "react-jsx", "target": "es2022" } }',
    'src/main.css': '@import "tailwindcss";',
    'src/main.tsx': main,
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`src/${path}`, text])),
  };
  discard(join(directory, 'src'));
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(join(directory, path, '..'), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const began = performance.now();
  const vite = join(directory, 'node_modules/vite/bin/vite.js');
  await run(process.execPath, [vite, 'build', '--target', 'es2022', '--logLevel', 'error'], { cwd: directory });
  return performance.now() - began;
}
