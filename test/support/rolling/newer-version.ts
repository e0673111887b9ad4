import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { serviceMain } from '../service-process.js';

const built = dirname(dirname(serviceMain));
const root = dirname(built);

/**
 * Differences between the built files and those of a newer version. Each `from` must occur, so that the copy really
 * differs.
 */
const differences: readonly (readonly [file: string, from: string, to: string])[] = [
  ['projections/functions/function.projection.js', 'version: 3,', 'version: 4,'],
  ['src/areas/triggers/mailhook/mailhook.record.js', 'version: 2,', 'version: 3,'],
  ['src/areas/triggers/mailhook/mailhook.record.js', 'also: {', 'also: { MailhookPainted: () => ({}),'],
  [
    'src/areas/functions/function/function.record.js',
    'continues: {',
    'continues: { FunctionPainted: (fn) => ({ ...fn }),',
  ],
  ['src/engine/commands/command-runner.js', 'change.decide(before, read);', '[...change.decide(before, read)];'],
  [
    'src/engine/commands/command-runner.js',
    'authoriseEffects(call, { events: decided, before, opens });',
    `authoriseEffects(call, { events: decided, before, opens });
        if (decided.some(({ type }) => type === 'FunctionDetailsChanged')) decided.push({ type: 'FunctionPainted', data: {} });
        if (decided.some(({ type }) => /^Mailhook(Dea|A)ctivated$/.test(type))) decided.push({ type: 'MailhookPainted', data: {} });`,
  ],
];

export interface NewerVersion {
  /** Path of its `main.js`. */
  readonly main: string;
  remove(): void;
}

/** Copies the built service with two more event types, and higher versions of two read models. */
export function newerVersion(): NewerVersion {
  // The copy must be below the packages, because its sandbox may read little else.
  const caches = join(root, 'node_modules/.cache');
  mkdirSync(caches, { recursive: true });
  const directory = mkdtempSync(join(caches, 'newer-version-'));
  cpSync(built, join(directory, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(directory, 'package.json'));
  for (const [file, from, to] of differences) {
    const path = join(directory, 'dist', file);
    const text = readFileSync(path, 'utf8');
    if (!text.includes(from)) throw new Error(`${file} does not hold '${from}' any more.`);
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
  }
  return {
    main: join(directory, 'dist/src/main.js'),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
