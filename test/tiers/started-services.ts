// Imports no project files, because CI and jest's reporter run it in Node without compiling.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Functions that start a service of its own for the calling file. Those in `support/shared-*.ts` start shared services.
 */
const starters = ['startApp', 'startServiceProcess', 'runServiceProcess', 'spawnService'];

const calls = (text: string, names: readonly string[]) => new RegExp(`\\b(?:${names.join('|')})[.(]`).test(text);
/** Removes comments and imports, which mention names without calling them. */
const codeOf = (text: string) => text.replaceAll(/^import [^;]*;$|\/\*\*.*?\*\/|\/\/[^\n]*$/gms, '');

/** `starters`, and exports of test/support that call them. */
export function startersIn(support: readonly string[]): readonly string[] {
  const declared = support.flatMap((text) =>
    codeOf(text)
      .split(/^(?=export )/m)
      .flatMap((part) => {
        const name = /^export (?:async )?(?:function|class|const) (\w+)/.exec(part)?.[1];
        return name === undefined ? [] : [{ name, part }];
      }),
  );
  const found = new Set(starters);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const { name, part } of declared) if (calls(part.replace(name, ''), [...found])) found.add(name);
  }
  return [...found];
}

/** The spec files that start a service of their own. */
export function startServices(root: string, files: readonly string[]): readonly string[] {
  const support = globSync('test/support/**/*.ts', { cwd: root, exclude: ['**/shared-*.ts'] });
  const names = startersIn(support.map((file) => readFileSync(join(root, file), 'utf8')));
  return files.filter((file) => calls(codeOf(readFileSync(join(root, file), 'utf8')), names));
}
