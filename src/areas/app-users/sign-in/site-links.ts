import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import type { Project } from '../../sites/project/project.record.js';
import { SiteOrigins } from '../../sites/project/site-origins.api.js';

/** Pages of sign-in, by the keys of `authPaths`, where the site has no path of its own for them. */
const defaultPaths = {
  login: '/login',
  afterLogin: '/',
  verifyEmail: '/verify-email',
  resetPassword: '/reset-password',
} as const;

/** Addresses of a site's pages, for mails. */
@Injectable()
export class SiteLinks {
  constructor(
    private readonly environment: Environment,
    private readonly origins: SiteOrigins,
  ) {}

  async to(project: Project, page: keyof typeof defaultPaths, token?: string): Promise<string> {
    const link = new URL(await this.addressOf(project, page));
    if (token !== undefined) link.searchParams.set('token', token);
    return link.href;
  }

  /** Of the visitors' API of a site, where the service itself is reached. */
  ofApi({ id }: Project, path: string): string {
    return `${this.environment.baseUrl}/api/app/${id}/${path}`;
  }

  /** Nothing is served at the address of a site that is not published: the platform then has the pages of mailed links. */
  private async addressOf(project: Project, page: keyof typeof defaultPaths): Promise<string> {
    const { authPaths, published } = project;
    if (published !== null) return new URL(authPaths[page] ?? defaultPaths[page], await this.origins.of(project)).href;
    if (page === 'verifyEmail' || page === 'resetPassword') return this.ofApi(project, defaultPaths[page].slice(1));
    return new URL(authPaths[page] ?? defaultPaths[page], this.environment.baseUrl).href;
  }
}
