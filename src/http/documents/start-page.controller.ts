import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { projectsOf } from '../../areas/sites/project/project-limits.api.js';
import { plans } from '../../areas/workspace/workspace/workspace.record.js';
import { Environment } from '../../config/environment.js';
import { html } from '../pages/html.js';
import { type HtmlPage, type PageFrame, sendPage } from '../pages/layout.js';
import { rootOf } from '../pages/page-request.js';

/** Anyone may open the page, so it contains nothing about workspaces. */
@Controller()
export class StartPageController {
  private readonly frame: PageFrame;

  constructor(environment: Environment) {
    this.frame = { root: rootOf(environment) };
  }

  @Get()
  page(@Res() reply: FastifyReply): void {
    sendPage(reply, 200, this.frame, startPage(this.frame));
  }
}

const limits = plans
  .map((plan) => `On the plan ${plan}, a workspace has ${projectsOf(plan, 'sites')} and ${projectsOf(plan, 'apps')}.`)
  .join(' ');

function startPage({ root }: PageFrame): HtmlPage {
  const content = html`<h1>Countersign</h1>
<p>A backend for workspaces whose automations are code. A risky change is not made when it is requested: it waits until a person approves it.</p>
<ul class="cards">
<li class="card"><h2><a href="${root}/approvals">Approvals</a></h2><p class="meta">Changes that wait for your approval, and past decisions. Sign in with a key of your own.</p></li>
<li class="card"><h2><a href="${root}/audit">Audit</a></h2><p class="meta">All changes, who made them and why, earlier states of everything, and the export.</p></li>
<li class="card"><h2><a href="${root}/api/docs">Documents</a></h2><p class="meta">All operations with their inputs and outputs, to read and to try.</p></li>
<li class="card"><h2><a href="${root}/api/openapi.json">OpenAPI</a></h2><p class="meta">The same in machine-readable form.</p></li>
</ul>
<h2 id="plans">Plans</h2>
<p>${limits} The operator of this service changes the plan with <code>npm run cli -- plan:set</code>.</p>`;
  return { title: 'Start', content, script: false };
}
