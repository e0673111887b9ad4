const folder = 'packages';

/** The archives of a workspace's packages. They are shared by all its projects. */
export const packageBlobsOf = (workspaceId: string): string => `${folder}/${workspaceId}`;

/** The archive of a package, by its content. */
export function packageBlob(workspaceId: string, integrity: string): string {
  const [, sha512 = ''] = /sha512-([A-Za-z0-9+/=]+)/.exec(integrity) ?? [];
  return `${packageBlobsOf(workspaceId)}/${Buffer.from(sha512, 'base64').toString('base64url')}`;
}
