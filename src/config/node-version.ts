const least = 24;

export function oldNode(version: string): string | undefined {
  const major = Number(version.split('.')[0]);
  if (major >= least) return undefined;
  return `Countersign requires Node ${least} or newer but was started with ${version}; install it, or start with npm start, which includes its own on Linux x64.`;
}
