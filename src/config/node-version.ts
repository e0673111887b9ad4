const least = 24;

/** One sentence for whoever starts the service on a Node that is too old; undefined when it will do. */
export function oldNode(version: string): string | undefined {
  const major = Number(version.split('.')[0]);
  if (major >= least) return undefined;
  return `Countersign needs Node ${least} or newer and was started on ${version}; install it, or start with npm start, which brings its own on Linux x64.`;
}
