import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import { SiteOrigins } from '../../sites/project/addresses/site-origins.api.js';
import type { Project } from '../../sites/project/project.record.js';

/** Default paths of the sign-in pages, by the keys of `authPaths`. Used if the site has set none. */
const defaultPaths = {
  login: '/login',
  afterLogin: '/',
  verifyEmail: '/verify-email',
  resetPassword: '/reset-password',
} as const;

/** Addresses of a site's pages, for mails and for redirects back to the site. */
@Injectable()
export class SiteLinks {
  constructor(
    private readonly environment: Environment,
    private readonly origins: SiteOrigins,
  ) {}

  /**
   * Returns the link for a mail. An unpublished site serves nothing at its address, so the platform then shows the
   * pages of mailed links.
   */
  async ofMail(project: Project, page: Exclude<keyof typeof defaultPaths, 'afterLogin'>, token?: string) {
    const isShown = project.published !== null;
    const link = isShown ? await this.to(project, page) : new URL(this.ofApi(project, defaultPaths[page].slice(1)));
    if (token !== undefined) link.searchParams.set('token', token);
    return link.href;
  }

  async to(project: Project, page: keyof typeof defaultPaths): Promise<URL> {
    const { authPaths, published } = project;
    const origin = published === null ? this.environment.baseUrl : await this.origins.of(project);
    return new URL(authPaths[page] ?? defaultPaths[page], origin);
  }

  /** Returns an address of a site's visitor API on the service's own host. */
  ofApi({ id }: Project, path: string): string {
    return `${this.environment.baseUrl}/api/app/${id}/${path}`;
  }
}
