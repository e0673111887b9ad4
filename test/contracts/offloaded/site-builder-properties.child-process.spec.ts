import { afterAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { platformScripts } from '../../../src/adapters/site-builder/child-process/child/platform-scripts.js';
import { readSource } from '../../../src/adapters/source-check/worker/read-source.js';
import { warningsOf } from '../../../src/areas/sites/build/source-warnings.js';
import { platformExports } from '../../../src/kernel/site-code/platform-exports.js';
import { platformPackages } from '../../../src/kernel/site-code/site-imports.js';
import { runs } from '../../support/depth.js';
import { QuickSiteBuilder } from '../../support/sites/quick-builds.js';
import { refused, sourcesOf } from '../../support/sites/site-sources.js';

const builder = new QuickSiteBuilder();
afterAll(() => builder.close());

const names = ['Hero', 'Card', 'Badge'] as const;
const imports = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...names.map((name) => `import ${name} from '@/components/${name}';`)) },
  {
    weight: 4,
    arbitrary: fc.constantFrom("import { useState } from 'react';", "import { Link } from '@countersign/site';"),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("import X from '@/components/X';", "import x from 'lodash';", "import '../x';"),
  },
);
/** Statements other than imports of components. A module contains each at most once, because they declare names. */
const statements = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'export const part = 1;',
      "import { FC } from 'react'; const typed: FC | null = null; typed;",
      "import type { Part } from '@/components/Card'; export type Other = Part;",
      "import * as All from '@/components/Card'; All.nothing;",
      'const open = (a) => import(`@/components/$' + '{a}`); open;',
      'const waited = await Promise.resolve(1); waited;',
      'let changed = 1; changed = 2;',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "import { nope } from 'react'; nope;",
      "import { Nope } from '@countersign/site'; export const n = <Nope />;",
      "import { part as of } from '@/components/Card'; of;",
      "export * from '@/components/Card';",
      "import { part as far } from '@/components/Hero'; far;",
      "import 'react-dom/server';",
      "const closed = (a) => import('./' + a); closed;",
      'const asked = (a) => require(`../$' + '{a}`); asked;',
      'const once = 1; once = 2;',
      'const twice = 1; export { twice as default };',
      'const generic = <T>(a: T) => a;',
    ),
  },
);
const tags = fc.constantFrom(...names.map((name) => `<${name} />`), '<b>text</b>', '<Badge.Part />');
const module = fc
  .record({
    imports: fc.uniqueArray(imports, { maxLength: 4 }),
    more: fc.uniqueArray(statements, { maxLength: 3 }),
    tags: fc.array(tags, { maxLength: 3 }),
    end: fc.constantFrom('', '', '', '', '', '', '', '<i>'),
    exported: fc.constantFrom(
      'export default',
      'export default',
      'export default',
      'export default',
      'export const a =',
    ),
  })
  .map(
    ({ imports: lines, more, tags: parts, end, exported }) =>
      `${[...lines, ...more].join('\n')}\n${exported} () => <p>${parts.join('')}${end}</p>;`,
  );

it('the exports that pages may import from the platform are those of its modules', async () => {
  const { modules } = await platformScripts();
  const found = [...modules].map(([specifier, { names: all }]) => [specifier, all.toSorted()]);
  expect(Object.fromEntries(platformExports)).toEqual(Object.fromEntries(found));
});

it('a project builds exactly if the check accepts it', async () => {
  const project = fc.record({
    page: module,
    components: fc.record({ Hero: module, Card: module, Badge: module }, { requiredKeys: ['Badge'] }),
    globals: fc.subarray([...names]),
  });
  await fc.assert(
    fc.asyncProperty(project, async ({ page, components, globals }) => {
      const files = {
        'pages/index.tsx': page,
        ...Object.fromEntries(Object.entries(components).map(([name, source]) => [`components/${name}.tsx`, source])),
      };
      const present = Object.keys(components);
      const facts = new Map(Object.entries(components).map(([name, source]) => [name, readSource(source)]));
      const known = {
        components: facts,
        globals: new Set(globals.filter((one) => present.includes(one))),
        packages: new Set<string>(platformPackages),
      };
      const warnings = Object.entries(files).flatMap(([file, source]) => warningsOf(file, readSource(source), known));
      const why = await refused(builder, sourcesOf(files, { globals }));
      if (warnings.length === 0) expect(why).toBe('built');
      else expect(warnings.map(({ file, line, message }) => `${file}:${line} ${message}`)).toContain(why);
    }),
    { numRuns: runs(40) },
  );
});
