/** The visitor as the visitor API's `auth/me` answers. */
export interface SiteUser {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly roles: readonly string[];
  readonly roleIds: readonly string[];
  readonly entitlements: readonly string[];
  readonly customFields: Readonly<Record<string, unknown>>;
  readonly emailVerified: boolean;
}

/** A page that this visitor may read. Asset names are below `<base>/_site/`. */
export interface ReadablePage {
  readonly id: string;
  /** `/blog/:slug`. */
  readonly path: string;
  readonly title: string | null;
  /** An ES module whose default export is the page inside its layout. */
  readonly script: string;
  readonly imports: readonly string[];
  readonly styles: string;
}

/** What `<base>/_site/pages` answers: asked again after a sign-in and a sign-out. */
export interface SitePages {
  readonly user: SiteUser | null;
  readonly pages: readonly ReadablePage[];
}

/** What a page's shell says to the script that starts it, as JSON in the element `site-data`. */
export interface SiteData extends SitePages {
  readonly projectId: string;
  /** Before every path of the site: empty, or `/releases/<projectId>/<version>`. */
  readonly base: string;
  readonly page: string;
  /** Segments of the path that the page's pattern names. */
  readonly params: Readonly<Record<string, string>>;
  /** The element `root` holds HTML of the page: hydrate it. Otherwise render. */
  readonly isRendered: boolean;
  /** Its visits are counted: the page is there, and of the published site. */
  readonly countsVisits: boolean;
  /** Where signed-out visitors go. */
  readonly login: string;
}
