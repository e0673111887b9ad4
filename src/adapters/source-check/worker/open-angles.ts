/** After a name, `<` may begin type arguments, and the parser tries that anew at each: twice as many take four times as long. */
export const mostOpenAngles = 200;

/** After a name: type arguments, or a comparison. At the beginning of a tag there is no name. */
const opening = /[\w$\])]\s*<(?![<=])|;|(?<!=)>/g;

/** The line at which more are open than may be within one statement; undefined when there is none. */
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
