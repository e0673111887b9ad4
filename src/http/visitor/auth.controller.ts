import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Guests } from '../../areas/app-users/sign-in/guests.api.js';
import { LogIn } from '../../areas/app-users/sign-in/log-in.api.js';
import { Profile } from '../../areas/app-users/sign-in/profile.api.js';
import { SignInMail } from '../../areas/app-users/sign-in/sign-in-mail.api.js';
import { SignUp } from '../../areas/app-users/sign-in/sign-up.api.js';
import { TokenUse } from '../../areas/app-users/sign-in/token-use.api.js';
import { VisitorUsers } from '../../areas/app-users/sign-in/visitor-user.api.js';
import { SitePasses } from '../../areas/app-users/site-pass/site-passes.api.js';
import { Calls } from '../../engine/operation/calls.js';
import { success } from '../../engine/operation/operation.js';
import type { OperationContext } from '../../engine/operation/operation-context.js';
import { visitorBodies } from '../body.js';
import { refuse } from '../http.refusals.js';
import { EmailBody, LogInBody, NoBody, ProfileBody, ResetBody, SignUpBody, TokenBody } from './auth-bodies.js';
import { visitorActorOf } from './visitor-actor.js';
import { type ReadRequest, VisitorAnswers } from './visitor-answers.js';
import { VisitorDoor, VisitorReadDoor, type VisitorRequest } from './visitor-door.js';
import { Visits } from './visitor-route.js';
import { Guest, SignedIn, SignedUp, VisitorUserShape, WhoIsSignedIn } from './visitor-shapes.js';

const done = { success: true } as const;

@Controller('api/app/:projectId')
export class AuthController {
  constructor(
    private readonly door: VisitorDoor,
    private readonly readDoor: VisitorReadDoor,
    private readonly answers: VisitorAnswers,
    private readonly calls: Calls,
    private readonly passes: SitePasses,
    private readonly signUps: SignUp,
    private readonly logIns: LogIn,
    private readonly mail: SignInMail,
    private readonly tokens: TokenUse,
    private readonly profiles: Profile,
    private readonly guests: Guests,
    private readonly users: VisitorUsers,
  ) {}

  @Visits(VisitorDoor, {
    method: 'POST',
    path: 'auth/signup',
    id: 'signUp',
    tag: 'sign-in',
    summary: 'Signs up a new user.',
    description:
      'If the site requires verified email addresses, the response does not reveal whether the address is already in use.',
    body: SignUpBody,
    answers: { record: SignedUp },
    refuses: ['sign-in-off', 'sign-up-off', 'sign-up-limit', 'email-taken', 'passwords-busy', 'visitors-quota'],
    limit: visitorBodies.large,
  })
  signUp(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    // If the site verifies addresses, the response must not reveal whether the address was already registered. So it
    // does not wait for the read models: the wait would be longer for a new user.
    const isSilent = this.door.admittedOf(request).project.authRequireEmail;
    return this.command(
      request,
      reply,
      SignUpBody,
      ({ call, project, address }, body) => this.signUps.signUp(call('site/signUp'), project, { ...body, address }),
      isSilent ? 'sendAtOnce' : 'send',
    );
  }

  @Visits(VisitorDoor, {
    method: 'POST',
    path: 'auth/login',
    id: 'logIn',
    tag: 'sign-in',
    summary: 'Signs in a user by email and password.',
    body: LogInBody,
    answers: { record: SignedIn },
    refuses: ['sign-in-off', 'log-in-failed', 'email-not-verified', 'sign-in-tries', 'passwords-busy'],
    limit: visitorBodies.small,
  })
  logIn(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.command(request, reply, LogInBody, ({ call, project, address }, body) =>
      this.logIns.logIn(call('site/logIn'), project, { ...body, address }),
    );
  }

  @Visits(VisitorDoor, {
    method: 'POST',
    path: 'auth/logout',
    id: 'logOut',
    tag: 'sign-in',
    summary: 'Ends the session.',
    body: NoBody,
    answers: success,
    refuses: [],
    limit: visitorBodies.small,
  })
  logOut(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.command(request, reply, NoBody, async ({ project, pass }) => {
      if (pass !== undefined) await this.passes.revoke(project, pass);
      this.answers.dropSession(reply);
      return done;
    });
  }

  @Visits(VisitorDoor, {
    method: 'POST',
    path: 'auth/verify-email',
    id: 'verifyEmail',
    tag: 'sign-in',
    summary: 'Verifies an email address with the token from a mailed link.',
    body: TokenBody,
    answers: success,
    refuses: ['sign-in-off', 'sign-in-token-invalid'],
    limit: visitorBodies.small,
  })
  verifyEmail(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.command(request, reply, TokenBody, async ({ call, project }, { token }) => {
      await this.tokens.verifyEmail(call('site/verifyEmail'), project, token);
      return done;
    });
  }

  @Visits(VisitorDoor, {
    method: 'POST',
    path: 'auth/resend-verification',
    id: 'resendVerification',
    tag: 'sign-in',
    summary: 'Sends the link for verifying an email address again.',
    description: 'The response does not reveal whether there is such a user.',
    body: EmailBody,
    answers: success,
    refuses: ['sign-in-off'],
    limit: visitorBodies.small,
  })
  resendVerification(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.command(request, reply, EmailBody, async ({ project }, { email }) => {
      await this.mail.askedToVerify(project, email);
      return done;
    });
  }

  @Visits(VisitorDoor, {
    method: 'POST',
    path: 'auth/forgot-password',
    id: 'forgotPassword',
    tag: 'sign-in',
    summary: 'Sends a link for setting a new password.',
    description: 'The response does not reveal whether there is such a user.',
    body: EmailBody,
    answers: success,
    refuses: ['sign-in-off'],
    limit: visitorBodies.small,
  })
  forgotPassword(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.command(request, reply, EmailBody, async ({ project }, { email }) => {
      await this.mail.askedToReset(project, email);
      return done;
    });
  }

  @Visits(VisitorDoor, {
    method: 'POST',
    path: 'auth/reset-password',
    id: 'resetPassword',
    tag: 'sign-in',
    summary: 'Sets a new password with the token from a mailed link.',
    body: ResetBody,
    answers: success,
    refuses: ['sign-in-off', 'sign-in-token-invalid', 'passwords-busy'],
    limit: visitorBodies.small,
  })
  resetPassword(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.command(request, reply, ResetBody, async ({ call, project }, { token, password }) => {
      await this.tokens.resetPassword(call('site/resetPassword'), project, token, password);
      return done;
    });
  }

  @Visits(VisitorDoor, {
    method: 'POST',
    path: 'auth/profile',
    id: 'changeProfile',
    tag: 'sign-in',
    summary: 'Changes the name, custom fields or password of the signed-in user.',
    body: ProfileBody,
    answers: { record: VisitorUserShape },
    refuses: [
      'sign-in-required',
      'current-password-wrong',
      'visitor-hourly-limit',
      'sign-in-tries',
      'passwords-busy',
      'visitors-quota',
    ],
    limit: visitorBodies.large,
  })
  profile(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.command(request, reply, ProfileBody, ({ call, project, visitor, pass, address }, body) => {
      const { user } = visitor;
      if (user === undefined || pass === undefined) return refuse('sign-in-required');
      return this.profiles.change(call('site/changeProfile'), project, { user, pass, address }, body);
    });
  }

  @Visits(VisitorDoor, {
    method: 'POST',
    path: 'auth/guest',
    id: 'beGuest',
    tag: 'sign-in',
    summary: "Starts a guest session, which can subscribe to the guest's own channels.",
    body: NoBody,
    answers: { record: Guest },
    refuses: ['guests-off', 'guest-rate'],
    limit: visitorBodies.small,
  })
  guest(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.command(request, reply, NoBody, ({ call, project, address }) =>
      this.guests.begin(call('site/beGuest'), project, address),
    );
  }

  @Visits(VisitorReadDoor, {
    method: 'GET',
    path: 'auth/me',
    id: 'me',
    tag: 'sign-in',
    summary: 'Returns the signed-in user.',
    answers: { record: WhoIsSignedIn },
    refuses: [],
  })
  async me(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    const { project, visitor } = this.readDoor.admittedOf(request);
    const { user } = visitor;
    await this.answers.send(reply, project.workspaceId, async () => ({
      user: user === undefined ? null : await this.users.shown(user),
    }));
  }

  private command<Body extends object>(
    request: ReadRequest,
    reply: FastifyReply,
    shape: new () => Body,
    work: (visit: VisitorRequest & { call(operation: string): OperationContext }, body: Body) => Promise<object>,
    answer: 'send' | 'sendAtOnce' = 'send',
  ): Promise<void> {
    const visit = this.door.admittedOf(request);
    const body = this.answers.inputOf(request, shape);
    const { workspaceId } = visit.project;
    const call = (operation: string) => this.calls.visiting(visit.project, visitorActorOf(visit.visitor), operation);
    return this.answers[answer](reply, workspaceId, () => work({ ...visit, call }, body));
  }
}
