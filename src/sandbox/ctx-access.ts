import type { Program as Syntax } from 'acorn';
import { full } from 'acorn-walk';

type Parameter = { readonly type: string; readonly name?: string };

/**
 * Returns whether the program could read this member of `ctx`. Returns false only if every use of `ctx` names another
 * member, and neither `arguments` nor `eval` occurs.
 * @param ctx the parameter's name, or undefined if the program does not declare it
 */
export function mayRead(member: string, syntax: Syntax, ctx: string | undefined): boolean {
  let uses = 0;
  let othersNamed = 0;
  let isHidden = false;
  full(syntax, (node, _state, type) => {
    const { name, computed, object, property } = node as Parameter & {
      readonly computed?: boolean;
      readonly object?: Parameter;
      readonly property?: Parameter;
    };
    if (type === 'MemberExpression' && object?.type === 'Identifier' && object.name === ctx) {
      if (!computed && property?.name !== member) othersNamed += 1;
    }
    // `arguments` and `eval` can both reach the parameter without naming it.
    if (type === 'Identifier' && (name === 'arguments' || name === 'eval')) isHidden = true;
    if (type === 'Identifier' && name === ctx) uses += 1;
  });
  return isHidden || uses > othersNamed;
}

export function ctxOfModule(syntax: Syntax): { readonly name: string | undefined } | 'unknown' {
  const exported = syntax.body.find((node) => node.type === 'ExportDefaultDeclaration');
  if (exported === undefined || !('params' in exported.declaration)) return 'unknown';
  const [first, second] = exported.declaration.params as readonly Parameter[];
  if (first?.type === 'RestElement') return 'unknown';
  if (second !== undefined && second.type !== 'Identifier') return 'unknown';
  return { name: second?.name };
}
