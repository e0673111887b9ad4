/** Blobs are named `packages/<workspace>/<content>`, so projects of a workspace share equal archives. */
export const allPackages = 'packages';

/** Returns the blob name of a package's archive, by its content. */
export function packageBlob(workspaceId: string, integrity: string): string {
  const [, sha512 = ''] = /sha512-([A-Za-z0-9+/=]+)/.exec(integrity) ?? [];
  return `${allPackages}/${workspaceId}/${Buffer.from(sha512, 'base64').toString('base64url')}`;
}

export const workspaceOfPackage = (blob: string): string => blob.split('/')[1] ?? '';
