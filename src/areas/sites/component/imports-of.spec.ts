import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { importsOf } from './imports-of.js';

const names = (source: string) => [...importsOf(source).keys()];

describe('the components that a source imports', () => {
  test.each([
    ['a default', `import Hero from '@/components/Hero';`],
    ['names', `import { a, b as c } from "@/components/Hero"`],
    ['over lines', `import Hero, {\n  type Props,\n} from\n  '@/components/Hero';`],
    ['for its effects', `import '@/components/Hero';`],
    ['a type', `import type { Props } from '@/components/Hero';`],
    ['passed on', `export * from '@/components/Hero';`],
    ['at run time', `const Hero = lazy(() => import( '@/components/Hero' ));`],
    ['with an ending', `import Hero from '@/components/Hero.tsx';`],
    ['minified', `import Hero from"@/components/Hero";import x from'y'`],
    ['after text with apostrophes', `<p>Don't say "no</p>\nimport Hero from '@/components/Hero';`],
    ['after an address', `const a = 'https://x.example'; import Hero from '@/components/Hero';`],
    ['after a glob', `const a = 'src/*.ts';\nimport Hero from '@/components/Hero';`],
  ])('are found: %s', (_, source) => {
    expect(names(source)).toEqual(['Hero']);
  });

  test.each([
    ['in a line comment', `// import Hero from '@/components/Hero';`],
    ['in a block comment', `/*\nimport Hero from '@/components/Hero';\n*/`],
    ['in a text', `const a = "import Hero from '@/components/Hero'";`],
    ['another module', `import Hero from '@/pages/Hero'; import x from './components/Hero';`],
    ['a name that only begins alike', `import Hero from '@/components/Heroes';`],
    ['a member', `x.import('@/components/Hero')`],
  ])('leave out %s', (_, source) => {
    expect(names(source)).not.toContain('Hero');
  });

  test('have the line of their first mention', () => {
    const source = `\n\nimport A from '@/components/A';\nimport {\n  B\n} from '@/components/B';\nimport '@/components/A';`;
    expect([...importsOf(source)]).toEqual([
      ['A', 3],
      ['B', 6],
    ]);
  });

  test('are all found among other lines, whatever these are', () => {
    const other = fc.string({ unit: 'grapheme' }).filter((line) => !/[`*/\n]/.test(line));
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[A-Z][A-Za-z0-9]{0,9}$/)), other, (wanted, line) => {
        const source = wanted.map((name) => `${line}\nimport ${name} from '@/components/${name}';\n${line}`).join('\n');
        expect(names(source)).toEqual(wanted);
      }),
    );
  });

  test('are complete, on one line', () => {
    const source = Array.from({ length: 50_000 }, (_, n) => `import "@/components/C${n}";`).join('');
    expect(importsOf(source).size).toBe(50_000);
  });

  test.each(['/*', '"\\', "'\\", 'import ', 'import (', 'from\n', '"', '/', 'from "@/components/', '\n'])(
    'are found in megabytes of %j',
    (part) => {
      const source = `import A from '@/components/A';\n${part.repeat(2_000_000 / part.length)}`;
      expect(names(source)[0]).toBe('A');
    },
  );
});
