/**
 * After a name, `<` may begin type arguments, which the parser tries again at each: twice as many take four times as
 * long.
 */
export const mostOpenAngles = 200;

/** After a name: type arguments or a comparison. The `<` of a tag follows no name. */
const opening = /[\w$\])]\s*<(?![<=])|;|(?<!=)>/g;

/** The line at which more are open than one statement may have; undefined: none. */
export function lineOfOpenAngles(content: string): number | undefined {
  let open = 0;
  for (const { 0: found, index } of content.matchAll(opening)) {
    if (found === ';') open = 0;
    else if (found === '>') open = Math.max(0, open - 1);
    else open += 1;
    if (open > mostOpenAngles) return content.slice(0, index).split('\n').length;
  }
  return undefined;
}
