import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { files, root } from './import-graph.js';

/**
 * Returns what an `.api.ts` exports too much. If it exports a class with behaviour, it may export only its types, its
 * errors and the function that registers a provider with it. Otherwise it may export functions, constants and the
 * shapes of inputs and answers.
 */
function faultsIn(text: string): readonly string[] {
  const source = ts.createSourceFile('a.api.ts', text, ts.ScriptTarget.Latest, true);
  const exported = source.statements.filter(
    (one) => ts.canHaveModifiers(one) && ts.getModifiers(one)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword),
  );
  const [main, ...others] = exported.filter(isWorking);
  if (main === undefined) return [];
  const beside = exported.filter((one) => one !== main && !isType(one) && !isError(one) && !isEntry(one));
  return [...new Set([...others, ...beside])].map((one) => `beside ${nameOf(main)} stands ${nameOf(one)}`);
}

const isWorking = (one: ts.Statement): boolean =>
  ts.isClassDeclaration(one) && !isError(one) && one.members.some((member) => !ts.isPropertyDeclaration(member));

const isType = (one: ts.Statement) => ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one);

const isError = (one: ts.Statement): boolean =>
  ts.isClassDeclaration(one) &&
  one.heritageClauses?.some((clause) => /^extends \w*Error\b/.test(clause.getText())) === true;

/** A function that creates a provider. */
const isEntry = (one: ts.Statement) =>
  ts.isVariableStatement(one) && /=> \(\{\s*provide: Symbol\(/.test(one.declarationList.getText());

function nameOf(one: ts.Statement): string {
  const named = ts.isVariableStatement(one) ? one.declarationList.declarations[0] : (one as ts.DeclarationStatement);
  return named?.name?.getText() ?? 'something without a name';
}

describe('an .api.ts', () => {
  it('exports either one class with behaviour and its types, or functions, constants and shapes', () => {
    const faces = files.filter((file) => file.endsWith('.api.ts'));
    const faults = faces.flatMap((file) =>
      faultsIn(readFileSync(join(root, file), 'utf8')).map((fault) => `${file}: ${fault}`),
    );
    expect(faces.length).toBeGreaterThan(100);
    expect(faults).toEqual([]);
  });

  const asks = 'export class Members { find(): void {} }';
  it.each([
    ['another class that does something', `${asks} export abstract class Roles { abstract all(): void }`],
    ['a function', `${asks} export function nameOf() {}`],
    ['a constant', `${asks} export const most = 5;`],
    ['a shape', `${asks} export class Shown { id!: string }`],
  ])('must not export %s beside its class', (_, text) => {
    expect(faultsIn(text)).toHaveLength(1);
  });

  it.each([
    ['types', `${asks} export interface Member { id: string } export type Id = string;`],
    ['an error', `${asks} export class MemberGone extends Error { constructor() { super('gone'); } }`],
    [
      'the entry to its class',
      `${asks} export const knows = (one: One) => ({ provide: Symbol('one'), useFactory: () => one });`,
    ],
    ['functions and shapes', 'export class Shown { id!: string } export function shown() {} export const most = 5;'],
  ])('may export %s', (_, text) => {
    expect(faultsIn(text)).toEqual([]);
  });
});
