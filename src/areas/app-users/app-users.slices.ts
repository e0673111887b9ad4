import { type Slice, slice } from '../../engine/records/slice.js';
import { projectContent } from '../sites/project/project-contents.api.js';
import { appUserHandlers } from './app-user/app-user.handler.js';
import { deleteAppUser } from './app-user/app-user.js';
import { appUsers } from './app-user/app-user.record.js';
import { CreateAppUserHandler } from './app-user/create-app-user.handler.js';
import { PersonSources, personSource } from './app-user/person-sources.api.js';
import { SiteUsers } from './app-user/site-users.api.js';
import { UserContents, userContent } from './app-user/user-contents.api.js';
import { UserPasswords } from './app-user/user-passwords.api.js';
import { ListOutgoingMailHandler } from './auth-mail/list-outgoing-mail.handler.js';
import { outgoingMails } from './auth-mail/outgoing-mail.record.js';
import { QueuedSiteMails } from './auth-mail/queued-site-mails.js';
import { SiteMail } from './auth-mail/site-mail.api.js';
import { forgetSiteMail } from './auth-mail/site-mail.js';
import { siteMails } from './auth-mail/site-mail.record.js';
import { SiteMailContents } from './auth-mail/site-mail-content.js';
import { SiteMailEnding } from './auth-mail/site-mail-ending.api.js';
import { SiteMailSender } from './auth-mail/site-mail-sender.js';
import { SiteMailTemplates } from './auth-mail/site-mail-templates.js';
import { SiteMailWays } from './auth-mail/site-mail-ways.js';
import { SiteMailWork } from './auth-mail/site-mail-work.js';
import { AssignedRoles } from './role/assigned-roles.api.js';
import { LegacyRoles } from './role/legacy-roles.js';
import { roleHandlers } from './role/site-role.handler.js';
import { endRole } from './role/site-role.js';
import { siteRoles } from './role/site-role.record.js';
import { SiteRoles } from './role/site-roles.api.js';
import { AfterAnswer } from './sign-in/after-answer.js';
import { Guests } from './sign-in/guests.api.js';
import { HourlyPlaces } from './sign-in/hourly-places.js';
import { LogIn } from './sign-in/log-in.api.js';
import { OneTimeTokens } from './sign-in/one-time-tokens.js';
import { PretendedSignUps } from './sign-in/pretended-sign-ups.js';
import { Profile } from './sign-in/profile.api.js';
import { SignInMail } from './sign-in/sign-in-mail.api.js';
import { SignInTries } from './sign-in/sign-in-tries.js';
import { SignIns } from './sign-in/sign-ins.api.js';
import { SignUp } from './sign-in/sign-up.api.js';
import { SignUpPlaces } from './sign-in/sign-up-places.js';
import { SiteLinks } from './sign-in/site-links.js';
import { leaveSocialAccount, socialAccounts } from './sign-in/social-account.record.js';
import { SocialSecrets } from './sign-in/social-secrets.js';
import { SocialSignIns } from './sign-in/social-sign-in.api.js';
import { SocialUsers } from './sign-in/social-users.js';
import { TokenUse } from './sign-in/token-use.api.js';
import { VisitorPlaces } from './sign-in/visitor-places.api.js';
import { VisitorUsers } from './sign-in/visitor-user.api.js';
import { WelcomeMail } from './sign-in/welcome-mail.api.js';
import { SitePasses } from './site-pass/site-passes.api.js';
import { VisitorMails } from './visitor-mail/visitor-mail.api.js';

/** Users of sites: their records, roles, sign-in and mail about it. */
export const appUsersSlices: readonly Slice[] = [
  slice(appUsers, [CreateAppUserHandler, ...appUserHandlers, projectContent(appUsers, deleteAppUser)]),
  SiteUsers,
  UserPasswords,
  PersonSources,
  UserContents,
  SitePasses,
  SignInTries,
  SignInMail,
  Guests,
  TokenUse,
  Profile,
  OneTimeTokens,
  HourlyPlaces,
  SiteLinks,
  AfterAnswer,
  SignIns,
  SignUp,
  SignUpPlaces,
  PretendedSignUps,
  LogIn,
  VisitorUsers,
  VisitorPlaces,
  WelcomeMail,
  VisitorMails,
  slice(socialAccounts, [
    SocialSecrets,
    SocialSignIns,
    SocialUsers,
    projectContent(socialAccounts, leaveSocialAccount),
    userContent(socialAccounts, 'userId', leaveSocialAccount),
  ]),
  slice(siteMails, [
    SiteMail,
    SiteMailContents,
    SiteMailEnding,
    SiteMailSender,
    SiteMailTemplates,
    SiteMailWays,
    SiteMailWork,
    QueuedSiteMails,
    projectContent(siteMails, () => forgetSiteMail('project-deleted')),
    userContent(siteMails, 'userId', () => forgetSiteMail('user-deleted')),
  ]),
  slice(outgoingMails, [
    ListOutgoingMailHandler,
    projectContent(outgoingMails, () => [{ type: 'OutgoingMailForgotten', data: {} }]),
  ]),
  slice(siteRoles, [...roleHandlers, projectContent(siteRoles, endRole)]),
  SiteRoles,
  AssignedRoles,
  LegacyRoles,
  personSource(SiteRoles, (roles) => ({
    existingRoles: async (workspaceId, projectId, roleIds) =>
      (await roles.existing(workspaceId, projectId, roleIds)).map(({ id }) => id),
  })),
];
