/** Blob names have the form `packages/<workspace>/<content>`, so projects of one workspace share equal archives. */
export const allPackages = 'packages';

/** @param integrity the archive's SHA-512 as in npm's lock files: `sha512-…` */
export function packageBlob(workspaceId: string, integrity: string): string {
  const [, sha512 = ''] = /sha512-([A-Za-z0-9+/=]+)/.exec(integrity) ?? [];
  return `${allPackages}/${workspaceId}/${Buffer.from(sha512, 'base64').toString('base64url')}`;
}

export const workspaceOfPackage = (blob: string): string => blob.split('/')[1] ?? '';
