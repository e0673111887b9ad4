import { job } from '../../engine/jobs/jobs.js';
import { endsWithOwners, entersDependents } from '../../engine/ownership/dependents.js';
import { type Slice, slice } from '../../engine/records/slice.js';
import { knowsPageRoles } from '../sites/page/page-roles.api.js';
import { deleteAppUser } from './app-user/app-user.js';
import { appUserOperations } from './app-user/app-user.operations.js';
import { appUsers } from './app-user/app-user.record.js';
import { AppUserCreation } from './app-user/app-user-creation.js';
import { PersonSources, personSource } from './app-user/person-sources.api.js';
import { SiteUsers } from './app-user/site-users.api.js';
import { UserPasswords } from './app-user/user-passwords.api.js';
import { emailUsageOperations } from './auth-mail/email-usage.operations.js';
import { MailRoutes } from './auth-mail/mail-routes.js';
import { outgoingMailOperations } from './auth-mail/outgoing-mail.operations.js';
import { outgoingMails } from './auth-mail/outgoing-mail.record.js';
import { OutgoingMailReading } from './auth-mail/outgoing-mail-reading.js';
import { SiteMail } from './auth-mail/site-mail.api.js';
import { forgetSiteMail } from './auth-mail/site-mail.js';
import { siteMails } from './auth-mail/site-mail.record.js';
import { SiteMailContents } from './auth-mail/site-mail-content.js';
import { SiteMailEnding } from './auth-mail/site-mail-ending.api.js';
import { siteMailJob } from './auth-mail/site-mail-requests.api.js';
import { SiteMailSender } from './auth-mail/site-mail-sender.js';
import { SiteMailTemplates } from './auth-mail/site-mail-templates.js';
import { SiteMailWork } from './auth-mail/site-mail-work.js';
import { AssignedRoles } from './role/assigned-roles.api.js';
import { LegacyRoles } from './role/legacy-roles.js';
import { holdingRole } from './role/role-holders.js';
import { roleOperations } from './role/site-role.operations.js';
import { siteRoles } from './role/site-role.record.js';
import { SiteRoles } from './role/site-roles.api.js';
import { AfterAnswer } from './sign-in/after-answer.js';
import { Guests } from './sign-in/guests.api.js';
import { LogIn } from './sign-in/log-in.api.js';
import { OneTimeTokens } from './sign-in/one-time-tokens.js';
import { PretendedSignUps } from './sign-in/pretended-sign-ups.js';
import { Profile } from './sign-in/profile.api.js';
import { SignInMail } from './sign-in/sign-in-mail.api.js';
import { SignInTries } from './sign-in/sign-in-tries.js';
import { SignIns } from './sign-in/sign-ins.api.js';
import { SignUp } from './sign-in/sign-up.api.js';
import { SignUpQuota } from './sign-in/sign-up-quota.js';
import { SiteLinks } from './sign-in/site-links.js';
import { leaveSocialAccount, socialAccounts } from './sign-in/social-account.record.js';
import { SocialSecrets } from './sign-in/social-secrets.js';
import { SocialSignIns } from './sign-in/social-sign-in.api.js';
import { SocialUsers } from './sign-in/social-users.js';
import { TokenUse } from './sign-in/token-use.api.js';
import { VisitorQuota } from './sign-in/visitor-quota.api.js';
import { VisitorUsers } from './sign-in/visitor-user.api.js';
import { WelcomeMail } from './sign-in/welcome-mail.api.js';
import { SitePasses } from './site-pass/site-passes.api.js';
import { VisitorMails } from './visitor-mail/visitor-mail.api.js';

export const appUsersSlices: readonly Slice[] = [
  slice(appUsers, [...appUserOperations, AppUserCreation, endsWithOwners(appUsers, deleteAppUser)]),
  SiteUsers,
  UserPasswords,
  PersonSources,
  SitePasses,
  SignInTries,
  SignInMail,
  Guests,
  TokenUse,
  Profile,
  OneTimeTokens,
  SiteLinks,
  AfterAnswer,
  SignIns,
  SignUp,
  SignUpQuota,
  PretendedSignUps,
  LogIn,
  VisitorUsers,
  VisitorQuota,
  WelcomeMail,
  VisitorMails,
  slice(socialAccounts, [
    SocialSecrets,
    SocialSignIns,
    SocialUsers,
    endsWithOwners(socialAccounts, leaveSocialAccount),
  ]),
  slice(siteMails, [
    ...emailUsageOperations,
    SiteMail,
    SiteMailContents,
    SiteMailEnding,
    SiteMailSender,
    SiteMailTemplates,
    MailRoutes,
    SiteMailWork,
    job(siteMailJob, SiteMailWork),
    endsWithOwners(siteMails, (_, { kind }) => forgetSiteMail(kind === 'project' ? 'project-deleted' : 'user-deleted')),
  ]),
  slice(outgoingMails, [
    ...outgoingMailOperations,
    OutgoingMailReading,
    endsWithOwners(outgoingMails, () => [{ type: 'OutgoingMailForgotten', data: {} }]),
  ]),
  slice(siteRoles, roleOperations),
  SiteRoles,
  knowsPageRoles(SiteRoles),
  AssignedRoles,
  entersDependents([holdingRole]),
  LegacyRoles,
  personSource(SiteRoles, (roles) => ({
    existingRoles: async (workspaceId, projectId, roleIds) =>
      (await roles.existing(workspaceId, projectId, roleIds)).map(({ id }) => id),
  })),
];
