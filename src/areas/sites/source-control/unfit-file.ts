/** A file that cannot become a part of a site. `why` goes on from the path: `pages/a.tsx: it is not UTF-8`. */
export class UnfitFile extends Error {
  constructor(
    readonly path: string,
    readonly why: string,
  ) {
    super(`${path.slice(0, 300)}: ${why}`);
  }
}
