// bundleDeps of typical React packages from npm's configured registry, compared with npm installing the same set. Cold
// means that nothing was fetched before. Needs the network.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scaled } from '../support/scale.mjs';
import { discard, Missing, scratch, startService } from '../support/servers.mjs';
import { ms, ratio, table, whole } from '../support/table.mjs';

const needed = {
  '@radix-ui/react-dialog': '1.1.15',
  '@radix-ui/react-dropdown-menu': '2.1.16',
  '@tanstack/react-query': '5.90.2',
  clsx: '2.1.1',
  'date-fns': '4.1.0',
  'framer-motion': '12.23.22',
  'lucide-react': '0.544.0',
  'react-hook-form': '7.63.0',
  'react-markdown': '10.1.0',
  recharts: '3.2.1',
  zod: '4.1.11',
  zustand: '5.0.8',
};
const dependencies = scaled(needed, { clsx: needed.clsx });
const rounds = Number(process.env['BENCH_ROUNDS'] ?? scaled(3));

export async function bundleDeps() {
  if (spawnSync('npm', ['ping'], { stdio: 'ignore', timeout: 10_000 }).status !== 0)
    throw new Missing("npm's registry does not answer.");
  const took = { cold: [], warm: [], npmCold: [], npmWarm: [] };
  let count = 0;
  for (let round = 0; round < rounds; round += 1) {
    const directory = scratch();
    const service = await startService({ dataDir: join(directory, 'data'), environment: npmVariables() });
    try {
      took.npmCold.push(await npmInstall(directory));
      took.npmWarm.push(await npmInstall(directory));
      const { id } = await service.call('site/createProject', { name: 'Shop' });
      await service.call('site/updateProject', { id, dependencies });
      for (const kind of ['cold', 'warm']) {
        const began = performance.now();
        const { packages } = await service.call('site/bundleDeps', { id });
        took[kind].push(performance.now() - began);
        count = packages.length;
      }
    } finally {
      await service.end('SIGTERM');
      discard(directory);
    }
  }
  const row = (name, ours, floor) => [name, p50(ours), p50(floor), ratio(middle(ours) / middle(floor))];
  table(`bundleDeps of ${whole(Object.keys(dependencies).length)} dependencies, ${count} packages, p50 of ${rounds}`, [
    ['', 'bundleDeps, ms', 'npm install --prefer-online, ms', 'ratio'],
    row('cold', took.cold, took.npmCold),
    row('warm', took.warm, took.npmWarm),
  ]);
}

/** Environment variables about the registry and trusted certificates. */
const npmVariables = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(?:npm_config_.*|.*_proxy|HOME|NODE_EXTRA_CA_CERTS)$/i.test(name)),
  );

/** Installs with an empty cache and without installed packages. */
async function npmInstall(directory) {
  const project = join(directory, 'project');
  rmSync(project, { recursive: true, force: true });
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'site', version: '1.0.0', dependencies }));
  const began = performance.now();
  const flags = ['--prefer-online', '--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps'];
  const child = spawn('npm', ['install', ...flags, '--cache', join(directory, 'npm-cache')], {
    cwd: project,
    stdio: 'ignore',
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`npm install ended with ${code}.`);
  return performance.now() - began;
}

const middle = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
const p50 = (values) => ms(middle(values));
