import { afterAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ChildProcessSiteBuilder } from '../../src/adapters/site-builder/child-process/child-process-site-builder.adapter.js';
import { readSource } from '../../src/adapters/source-check/worker/read-source.js';
import { warningsOf } from '../../src/areas/sites/build/source-warnings.js';
import { platformPackages } from '../../src/kernel/site-imports.js';
import { runs } from '../support/depth.js';
import { refused, sourcesOf } from '../support/sites/site-sources.js';

const builder = new ChildProcessSiteBuilder();
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
const tags = fc.constantFrom(...names.map((name) => `<${name} />`), '<b>text</b>', '<Badge.Part />');
const module = fc
  .record({
    imports: fc.uniqueArray(imports, { maxLength: 4 }),
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
    ({ imports: lines, tags: parts, end, exported }) =>
      `${lines.join('\n')}\n${exported} () => <p>${parts.join('')}${end}</p>;`,
  );

it('what the check of a project calls ok builds, and what it refuses does not', async () => {
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
      const known = {
        components: new Set(present),
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
