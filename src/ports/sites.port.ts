/** A site as functions refer to it. Every name is exactly as stored (Automations API, sitesManifest). */
export interface SiteOutline {
  readonly id: string;
  readonly name: string;
  readonly tables: readonly {
    readonly name: string;
    readonly fields: readonly { readonly name: string; readonly type: string }[];
  }[];
}

/** The sites of a workspace, from every `SiteKeeper`. */
export abstract class Sites {
  abstract has(workspaceId: string, siteId: string): Promise<boolean>;

  /** In the order they are shown. */
  abstract of(workspaceId: string): Promise<readonly SiteOutline[]>;
}

/** Something that stores sites and lists its own. */
export abstract class SiteKeeper {
  /** In the order they are shown. */
  abstract outlines(workspaceId: string): Promise<readonly SiteOutline[]>;
}
