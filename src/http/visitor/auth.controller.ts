import { All, Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { LogIn } from '../../areas/app-users/sign-in/log-in.api.js';
import { SignUp } from '../../areas/app-users/sign-in/sign-up.api.js';
import { VisitorUsers } from '../../areas/app-users/sign-in/visitor-user.api.js';
import { SitePasses } from '../../areas/app-users/site-pass/site-passes.api.js';
import { Calls } from '../../engine/calls.js';
import { Through } from '../entrance/door.js';
import { LogInBody, NoBody, SignUpBody } from './auth-bodies.js';
import { visitorActorOf } from './visitor-actor.js';
import { type ReadRequest, VisitorAnswers } from './visitor-answers.js';
import { VisitorDoor, VisitorReadDoor, type VisitorRequest } from './visitor-door.js';

/** Sign-in of a site's users. */
@Controller('api/app/:projectId/auth')
export class AuthController {
  constructor(
    private readonly door: VisitorDoor,
    private readonly readDoor: VisitorReadDoor,
    private readonly answers: VisitorAnswers,
    private readonly calls: Calls,
    private readonly passes: SitePasses,
    private readonly signUps: SignUp,
    private readonly logIns: LogIn,
    private readonly users: VisitorUsers,
  ) {}

  @All('signup')
  @Through(VisitorDoor)
  async signUp(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = this.door.of(request);
    const body = this.answers.inputOf(request, SignUpBody);
    await this.answers.send(reply, visit.project.workspaceId, () =>
      this.signUps.signUp(this.call(visit, 'site/signUp'), visit.project, { ...body, address: visit.address }),
    );
  }

  @All('login')
  @Through(VisitorDoor)
  async logIn(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = this.door.of(request);
    const body = this.answers.inputOf(request, LogInBody);
    await this.answers.send(reply, visit.project.workspaceId, () =>
      this.logIns.logIn(this.call(visit, 'site/logIn'), visit.project, { ...body, address: visit.address }),
    );
  }

  @All('logout')
  @Through(VisitorDoor)
  async logOut(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    const { project, pass } = this.door.of(request);
    this.answers.inputOf(request, NoBody);
    await this.answers.send(reply, project.workspaceId, async () => {
      if (pass !== undefined) await this.passes.end(project, pass);
      return { success: true };
    });
  }

  @All('me')
  @Through(VisitorReadDoor)
  async me(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    const { project, visitor } = this.readDoor.of(request);
    const { user } = visitor;
    await this.answers.send(reply, project.workspaceId, async () => ({
      user: user === undefined ? null : await this.users.shown(user),
    }));
  }

  private call(visit: VisitorRequest, operation: string) {
    return this.calls.once(visit.project.workspaceId, visitorActorOf(visit.visitor), operation);
  }
}
