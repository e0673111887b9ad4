/** A site as functions speak of it. Every name is exactly as it is stored (Automations API, sitesManifest). */
export interface SiteOutline {
  readonly id: string;
  readonly name: string;
  readonly tables: readonly {
    readonly name: string;
    readonly fields: readonly { readonly name: string; readonly type: string }[];
  }[];
}

/** The sites of a workspace, whoever keeps them. */
export abstract class Sites {
  abstract has(workspaceId: string, siteId: string): Promise<boolean>;

  /** In the order they are shown. */
  abstract of(workspaceId: string): Promise<readonly SiteOutline[]>;
}

/** Whatever keeps sites, and tells of its own. */
export abstract class SiteKeeper {
  /** In the order they are shown. */
  abstract outlines(workspaceId: string): Promise<readonly SiteOutline[]>;
}
