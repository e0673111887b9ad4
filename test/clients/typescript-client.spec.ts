import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import '../../src/app.module.js';
import { openApi } from '../../src/http/open-api.js';

const folder = join(import.meta.dirname, 'typescript');
const generated = join(folder, 'countersign.ts');
const files = globSync('*.ts', { cwd: folder }).map((file) => join(folder, file));

interface Document {
  readonly paths: Record<string, object>;
  readonly components: { readonly schemas: Readonly<Record<string, ObjectSchema>> };
}

interface ObjectSchema {
  readonly properties: Record<string, object>;
  readonly required: string[];
}

/** By default, openapi-typescript makes members with a default required, although inputs may omit them. */
const generate = async (document: object) =>
  astToString(await openapiTS(structuredClone(document) as OpenAPI3, { defaultNonNullable: false }));

const hasAny = (node: ts.Node): boolean =>
  node.kind === ts.SyntaxKind.AnyKeyword || ts.forEachChild(node, hasAny) === true;

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noUnusedLocals: true,
  noEmit: true,
  skipLibCheck: true,
};

/** Compiles the calls with these types. Returns each error as `file:line message`. */
function faultsOf(types: string): readonly string[] {
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => name === generated || fileExists(name);
  host.readFile = (name) => (name === generated ? types : readFile(name));
  host.getSourceFile = (name, language, ...more) =>
    name === generated ? ts.createSourceFile(name, types, language) : getSourceFile(name, language, ...more);
  return ts.getPreEmitDiagnostics(ts.createProgram(files, options, host)).map(({ file, start, messageText }) => {
    const line = file?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0;
    return `${file?.fileName.split('/').at(-1)}:${line + 1} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

// The compiler needs seconds, and up to a minute on a busy machine.
jest.setTimeout(180_000);

describe('a TypeScript client generated from the OpenAPI document', () => {
  const document = openApi('http://localhost');

  it('compiles typical calls, and has no `any` type', async () => {
    const types = await generate(document);
    expect(faultsOf(types)).toEqual([]);
    expect(hasAny(ts.createSourceFile(generated, types, ts.ScriptTarget.Latest))).toBe(false);
  });

  it('no longer compiles if the document breaks it', async () => {
    const broken = structuredClone(document) as Document;
    const { BaseRecord, CreateRow, RunFlow, WorkspaceRecord } = broken.components.schemas;
    delete BaseRecord?.properties['tables'];
    WorkspaceRecord?.required.splice(0);
    CreateRow?.required.push('stage');
    Object.assign(CreateRow?.properties ?? {}, { stage: { type: 'string' } });
    Object.assign(RunFlow?.properties ?? {}, { id: { type: 'integer' } });
    delete broken.paths['/api/v1/bases/countRows'];
    const faults = faultsOf(await generate(broken)).join('\n');
    expect(faults).toContain("Property 'tables' does not exist");
    expect(faults).toContain("'me' is possibly 'undefined'");
    expect(faults).toContain("Property 'stage' is missing");
    expect(faults).toContain("Type 'string' is not assignable to type 'number'");
    expect(faults).toContain(`'"bases_countRows"' is not assignable`);
  });

  it('makes some thirty calls to the service', () => {
    const calls = readFileSync(join(folder, 'calls.ts'), 'utf8').matchAll(/client\.call\('(\w+)'/g);
    expect(new Set([...calls].map(([, name]) => name)).size).toBeGreaterThanOrEqual(30);
  });
});
