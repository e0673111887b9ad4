import { type SiteKeeper, type SiteOutline, Sites } from '../../../ports/sites.port.js';

/** The sites of a workspace, of all who keep any. */
export class WorkspaceSites extends Sites {
  constructor(private readonly keepers: readonly SiteKeeper[]) {
    super();
  }

  override async has(workspaceId: string, siteId: string): Promise<boolean> {
    return (await this.of(workspaceId)).some(({ id }) => id === siteId);
  }

  override async of(workspaceId: string): Promise<readonly SiteOutline[]> {
    return (await Promise.all(this.keepers.map((keeper) => keeper.outlines(workspaceId)))).flat();
  }
}
