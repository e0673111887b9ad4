import { moduleTypes } from '../code-guide/module-types.api.js';

const tsconfig = {
  compilerOptions: {
    target: 'ES2022',
    module: 'ESNext',
    moduleResolution: 'Bundler',
    jsx: 'react-jsx',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowJs: true,
    paths: { '@/*': ['./*'], '@countersign/site': ['./types/countersign-site.d.ts'] },
  },
  include: ['pages', 'components', 'types'],
};

/** What the first commit brings beside the content, so that an editor understands a clone. It may be changed there. */
export const editorFiles: readonly (readonly [path: string, text: string])[] = [
  ['tsconfig.json', `${JSON.stringify(tsconfig, null, 2)}\n`],
  ['types/countersign-site.d.ts', moduleTypes],
];
