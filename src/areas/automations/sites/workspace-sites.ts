import type { SiteKeeper, SiteOutline } from '../../../ports/sites.port.js';

/** The sites of a workspace, of all who keep any. */
export class WorkspaceSites {
  constructor(private readonly keepers: readonly SiteKeeper[]) {}

  async of(workspaceId: string): Promise<readonly SiteOutline[]> {
    return (await Promise.all(this.keepers.map((keeper) => keeper.outlines(workspaceId)))).flat();
  }
}
