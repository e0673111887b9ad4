/** A site as functions refer to it. Every name is exactly as stored (Automations API, sitesManifest). */
export interface SiteOutline {
  readonly id: string;
  readonly name: string;
  readonly tables: readonly {
    readonly name: string;
    readonly fields: readonly { readonly name: string; readonly type: string }[];
  }[];
}

/** Something that stores sites and lists its own. */
export interface SiteKeeper {
  /** In the order they are shown. */
  outlines(workspaceId: string): Promise<readonly SiteOutline[]>;
}

/** The sites of a workspace, from every keeper. */
export class Sites {
  constructor(private readonly keepers: readonly SiteKeeper[]) {}

  async has(workspaceId: string, siteId: string): Promise<boolean> {
    return (await this.of(workspaceId)).some(({ id }) => id === siteId);
  }

  /** In the order they are shown. */
  async of(workspaceId: string): Promise<readonly SiteOutline[]> {
    return (await Promise.all(this.keepers.map((keeper) => keeper.outlines(workspaceId)))).flat();
  }
}
