import { Injectable } from '@nestjs/common';
import { VisitorUsers } from '../../areas/app-users/sign-in/visitor-user.api.js';
import { PageReaders } from '../../areas/sites/page/page-readers.api.js';
import type { PublishedPage, SiteManifest } from '../../areas/sites/publication/served-deployments.api.js';
import type { ReadablePage, SitePages } from '../../site-module/site-data.js';
import type { SiteVisit } from './site-door.js';

@Injectable()
export class ReadablePages {
  constructor(
    private readonly readers: PageReaders,
    private readonly users: VisitorUsers,
  ) {}

  async of({ project, reader, user }: SiteVisit, { pages }: SiteManifest): Promise<SitePages> {
    const [readable, shown] = await Promise.all([
      this.readers.readable(project, reader, pages),
      user && this.users.shown(user),
    ]);
    return { user: shown ?? null, pages: pages.filter(({ id }) => readable.has(id)).map(shownPage) };
  }
}

const shownPage = ({ id, path, title, script, imports, styles }: PublishedPage): ReadablePage => ({
  id,
  path,
  title,
  script,
  imports,
  styles,
});
