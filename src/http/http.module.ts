import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { DocsController } from './documents/docs.controller.js';
import { StartPageController } from './documents/start-page.controller.js';
import { BodyGathering } from './entrance/body-gathering.js';
import { Callers } from './entrance/callers.js';
import { Entrance } from './entrance/entrance.js';
import { OpenCalls } from './entrance/open-calls.js';
import { FileDoor, UploadDoor } from './files/file-doors.js';
import { FileSending } from './files/file-sending.js';
import { FileTransfers } from './files/file-transfers.js';
import { FilesController } from './files/files.controller.js';
import { HealthController } from './health.controller.js';
import { RequestHosts } from './hosts/request-hosts.js';
import { TlsAskController } from './hosts/tls-ask.controller.js';
import { Guides } from './mcp/guides.js';
import { McpController } from './mcp/mcp.controller.js';
import { McpClients } from './mcp/mcp-clients.js';
import { McpDoor } from './mcp/mcp-door.js';
import { McpSessions } from './mcp/mcp-sessions.js';
import { ServedTools } from './mcp/served-tools.js';
import { ToolCalls } from './mcp/tool-calls.js';
import { ConsentController } from './oauth/consent.controller.js';
import { OAuthController } from './oauth/oauth.controller.js';
import { OAuthClients } from './oauth/oauth-clients.js';
import { OAuthDoor } from './oauth/oauth-door.js';
import { OAuthGrants } from './oauth/oauth-grants.js';
import { OAuthMetadataController } from './oauth/oauth-metadata.controller.js';
import { OAuthServer } from './oauth/oauth-server.js';
import { OpenDoor } from './open-door.js';
import { OperationDoor } from './operation-door.js';
import { OperationsController } from './operations.controller.js';
import { ApprovalPagesController } from './pages/approvals/approval-pages.controller.js';
import { ApprovalsReading } from './pages/approvals/approvals-reading.js';
import { AuditPagesController } from './pages/audit/audit-pages.controller.js';
import { FormDoor, SignInDoor } from './pages/form-doors.js';
import { PageAssetsController } from './pages/page-assets.controller.js';
import { PageSessions } from './pages/page-sessions.js';
import { PersonsCalls } from './pages/persons-calls.js';
import { SignInController } from './pages/sign-in.controller.js';
import { SignInForms } from './pages/sign-in-forms.js';
import { SignedInPages } from './pages/signed-in.js';
import { ProblemFilter } from './problem.filter.js';
import { OpenSockets } from './realtime/open-sockets.js';
import { RealtimeController } from './realtime/realtime.controller.js';
import { SocketUpgrades } from './realtime/socket-upgrades.js';
import { AssetAnswers } from './site/asset-answers.js';
import { MemberEntryController } from './site/member-entry.controller.js';
import { MemberEntry } from './site/member-entry.js';
import { MemberSessions } from './site/member-sessions.js';
import { PageAnswers } from './site/page-answers.js';
import { LoginPage } from './site/platform-pages/login-page.js';
import { MailLinkDoor } from './site/platform-pages/mail-link-door.js';
import { MailLinksController } from './site/platform-pages/mail-links.controller.js';
import { ForgotPasswordPage, ResetPasswordPage, VerifyEmailPage } from './site/platform-pages/mail-pages.js';
import { PlatformForms } from './site/platform-pages/platform-forms.js';
import { PlatformPages } from './site/platform-pages/platform-pages.js';
import { SignUpPage } from './site/platform-pages/sign-up-page.js';
import { PublicFileAnswers } from './site/public-file-answers.js';
import { ReadablePages } from './site/readable-pages.js';
import { ReadyAnswers } from './site/ready-answers.js';
import { SiteController } from './site/site.controller.js';
import { SiteAnswers } from './site/site-answers.js';
import { SiteCookie } from './site/site-cookie.js';
import { SiteDoor } from './site/site-door.js';
import { SiteFacts } from './site/site-facts.js';
import { ApprovalsStreamController } from './streams/approvals-stream.controller.js';
import { AuditExportController } from './streams/audit-export.controller.js';
import { AuditExportDoor } from './streams/audit-export-door.js';
import { OpenStreams } from './streams/open-streams.js';
import { StreamDoor } from './streams/stream-door.js';
import { AllowedOrigins } from './visitor/allowed-origins.js';
import { AuthController } from './visitor/auth.controller.js';
import { ProcessorWebhookController, ProcessorWebhookDoor } from './visitor/processor-webhook.controller.js';
import { PushWebhookController, PushWebhookDoor } from './visitor/push-webhook.controller.js';
import { SiteMembers } from './visitor/site-members.js';
import { SiteSessions } from './visitor/site-sessions.js';
import { SocialController } from './visitor/social.controller.js';
import { UnsubscribeController, UnsubscribeDoor } from './visitor/unsubscribe.controller.js';
import { VisitorAnswers } from './visitor/visitor-answers.js';
import { VisitorDoor, VisitorReadDoor } from './visitor/visitor-door.js';
import { VisitorEmailController } from './visitor/visitor-email.controller.js';
import { VisitorFunctionsController } from './visitor/visitor-functions.controller.js';
import { VisitorPaymentsController } from './visitor/visitor-payments.controller.js';
import { VisitorProxyController } from './visitor/visitor-proxy.controller.js';
import { VisitorTablesController } from './visitor/visitor-tables.controller.js';
import { VisitorTrafficController } from './visitor/visitor-traffic.controller.js';
import { WebhookController } from './webhooks/webhook.controller.js';
import { WebhookDoor } from './webhooks/webhook-door.js';
import { WebhookIngress } from './webhooks/webhook-ingress.js';
import { WebhookVisitors } from './webhooks/webhook-visitors.js';

@Module({
  controllers: [
    HealthController,
    DocsController,
    StartPageController,
    SiteController,
    TlsAskController,
    MemberEntryController,
    MailLinksController,
    WebhookController,
    ProcessorWebhookController,
    PushWebhookController,
    VisitorPaymentsController,
    PageAssetsController,
    SignInController,
    ApprovalPagesController,
    AuditPagesController,
    ApprovalsStreamController,
    AuditExportController,
    FilesController,
    AuthController,
    SocialController,
    VisitorFunctionsController,
    VisitorTablesController,
    VisitorEmailController,
    RealtimeController,
    UnsubscribeController,
    McpController,
    OAuthMetadataController,
    OAuthController,
    ConsentController,
    VisitorProxyController,
    VisitorTrafficController,
    OperationsController,
  ],
  providers: [
    WebhookIngress,
    WebhookVisitors,
    OpenStreams,
    OpenSockets,
    SocketUpgrades,
    PageSessions,
    PersonsCalls,
    ApprovalsReading,
    SignInForms,
    RequestHosts,
    AllowedOrigins,
    SiteDoor,
    SiteAnswers,
    ReadyAnswers,
    SiteCookie,
    SiteSessions,
    SiteMembers,
    PageAnswers,
    PublicFileAnswers,
    MemberEntry,
    MemberSessions,
    ReadablePages,
    AssetAnswers,
    SiteFacts,
    PlatformForms,
    LoginPage,
    SignUpPage,
    ForgotPasswordPage,
    ResetPasswordPage,
    VerifyEmailPage,
    PlatformPages,
    MailLinkDoor,
    BodyGathering,
    Callers,
    Entrance,
    OpenCalls,
    OpenDoor,
    OperationDoor,
    WebhookDoor,
    ProcessorWebhookDoor,
    UnsubscribeDoor,
    PushWebhookDoor,
    StreamDoor,
    AuditExportDoor,
    FileDoor,
    UploadDoor,
    FileTransfers,
    FileSending,
    VisitorDoor,
    VisitorReadDoor,
    VisitorAnswers,
    SignInDoor,
    FormDoor,
    SignedInPages,
    OAuthDoor,
    OAuthClients,
    OAuthGrants,
    OAuthServer,
    McpDoor,
    McpSessions,
    McpClients,
    ServedTools,
    ToolCalls,
    Guides,
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_GUARD, useExisting: OpenDoor },
  ],
})
export class HttpModule {}
