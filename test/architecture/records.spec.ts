import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

/**
 * Every file may import a `.record.ts` file, so it may contain only what belongs to the record:
 * - types: fields, events, and the documents of read models made from them;
 * - the record itself: `record`, `plainRecord`, or a function that makes one for each kind of owner;
 * - constants: categories, lists of values, limits;
 * - names made of strings: of streams, of reservations, of entries in the vault; unique names of its records;
 * - functions on a type declared here, such as the fold or "is it over?".
 * Declarations that are not exported are unrestricted. There are no classes, async functions or re-exports.
 */
const root = join(import.meta.dirname, '../..');
const records = globSync('src/**/*.record.ts', { cwd: root }).filter((file) => !file.endsWith('.spec.ts'));

interface Fault {
  readonly line: number;
  readonly why: string;
}

function faultsIn(text: string): readonly Fault[] {
  const source = ts.createSourceFile('a.record.ts', text, ts.ScriptTarget.Latest, true);
  const types = new Set(
    source.statements
      .filter((one) => ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one))
      .map(({ name }) => name.text),
  );
  return source.statements.flatMap((statement) => {
    const why = faultOf(statement, types);
    const { line } = source.getLineAndCharacterOfPosition(statement.getStart());
    return why === undefined ? [] : [{ line: line + 1, why }];
  });
}

function faultOf(statement: ts.Statement, types: ReadonlySet<string>): string | undefined {
  if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) return undefined;
  if (ts.isImportDeclaration(statement)) return importFault(statement);
  if (ts.isFunctionDeclaration(statement)) {
    return isExported(statement) ? functionFault(statement, statement.name?.text ?? 'a function', types) : undefined;
  }
  if (ts.isVariableStatement(statement)) {
    if (!isExported(statement)) return undefined;
    return statement.declarationList.declarations.map((one) => constFault(one, types)).find((why) => why !== undefined);
  }
  return 'only types, constants and functions belong in a record';
}

/**
 * Modules that a record may import values from: the kernel, other records, refusals, files of the same folder, and pure
 * modules of the engine and of Node.
 */
const pure =
  /\/kernel\/|\/engine\/commands\/reservation\.js$|\.(record|refusals)\.js$|^\.\/[^/]+\.js$|^\.\.\/\.\.\/kernel\/|^node:crypto$/;

function importFault({ importClause, moduleSpecifier }: ts.ImportDeclaration): string | undefined {
  const from = ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '';
  const isType = importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
  return isType || pure.test(from) ? undefined : `a record imports no values from ${from}`;
}

function constFault({ name, initializer, type }: ts.VariableDeclaration, types: ReadonlySet<string>) {
  if (initializer === undefined || isFixed(initializer) || isRecord(initializer)) return undefined;
  if (type?.getText().startsWith('RecordAggregate<')) return undefined;
  if (ts.isArrowFunction(initializer)) {
    return isRecord(initializer.body) ? undefined : functionFault(initializer, name.getText(), types);
  }
  return `${name.getText()} is neither a record, a fixed value nor a name`;
}

function functionFault(
  { parameters, modifiers }: ts.FunctionLikeDeclaration,
  name: string,
  types: ReadonlySet<string>,
): string | undefined {
  if (modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword)) return `${name} is async`;
  const texts = parameters.map(({ type }) => type?.getText() ?? '');
  const isOfStrings = texts.every((text) => text === 'string');
  const isOfTheRecord = texts.some((text) => (text.match(/\w+/g) ?? []).some((word) => types.has(word)));
  return isOfStrings || isOfTheRecord ? undefined : `${name} tells nothing of a type declared here`;
}

/** Whether it is a literal, or an array, object or concatenation of literals. */
function isFixed(value: ts.Node): boolean {
  if (ts.isAsExpression(value) || ts.isSatisfiesExpression(value) || ts.isParenthesizedExpression(value)) {
    return isFixed(value.expression);
  }
  if (ts.isArrayLiteralExpression(value)) return value.elements.every(isFixed);
  if (ts.isSpreadElement(value)) return ts.isIdentifier(value.expression);
  if (ts.isObjectLiteralExpression(value)) {
    return value.properties.every((one) => ts.isPropertyAssignment(one) && isFixed(one.initializer));
  }
  if (ts.isBinaryExpression(value)) return isFixed(value.left) && isFixed(value.right);
  return ts.isLiteralExpression(value) || /^(true|false|null)$/.test(value.getText());
}

const isRecord = (value: ts.Node): boolean =>
  ts.isCallExpression(value) && /^(record<|plainRecord<|noun<|functionsOwnedBy\(|uniqueName\()/.test(value.getText());

const isExported = ({ modifiers }: ts.FunctionDeclaration | ts.VariableStatement): boolean =>
  modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;

describe('records', () => {
  it('contain only fields, events, their fold and names', () => {
    const faults = records.flatMap((file) =>
      faultsIn(readFileSync(join(root, file), 'utf8')).map(({ line, why }) => `${file}:${line} ${why}`),
    );
    expect(records.length).toBeGreaterThan(20);
    expect(faults).toEqual([]);
  });

  it.each([
    ['a class', 'export class Members {}'],
    ['a re-export', "export { members } from './members.js';"],
    ['a service', "import { Reads } from '../../../engine/reads.js';"],
    ['something computed', 'export const names = new Set(load());'],
    ['a function of other things', 'export const isAdmin = (caller: Caller) => caller.role === "admin";'],
    ['an async function', 'export async function find(id: string) {}'],
  ])('must not contain %s', (_, text) => {
    expect(faultsIn(text)).toHaveLength(1);
  });

  it.each([
    ['an event', "export type MemberEvent = DomainEvent<'MemberAdded', object>;"],
    ['a record', "export const members = record<Member, MemberEvent>()({ category: 'member' });"],
    ['a noun', "export const members = noun<Member, MemberEvent>()({ kind: 'member' });"],
    ['a list of values', "export const plans = ['free', 'pro'] as const;"],
    ['a name', "export const secretName = (id: string): string => 'secret/'.concat(id);"],
    ['a fact of the record', 'interface Run { at: string }\nexport const isOver = ({ at }: Run) => at !== "";'],
  ])('may contain %s', (_, text) => {
    expect(faultsIn(text)).toEqual([]);
  });
});
