"""The table of ``test_access``: method and role → the status of the answer; the URLs below it.

A name may carry a variant after @: another object or another query.
"""

TABLE = """
#      anon strang viewer owner rival assess organ foreign
GET    302  404  403  403  403  403  200  404
    campaign-settings visibility-change people member-remove topics-import documents-import
    submissions-close submissions-reopen run-form erratum-new task-new events events-download
    pools pool life campaign-close campaign-reopen campaign-delete outbox outbox-mail
    message-new pool-download judging plan-new plan-assign plan-close plan-reassign
    collection-files judging-today review-new flagged-documents duplicate-grades
    duplicate-grades-download duplicate-texts
    judging-assessor training-sets judgments-download assessor-qrels import-export
    judgments-export judgments-import automatic-list automatic automatic-download model
    model-new automatic-witness automatic-witness-download agreement agreement@chart
    agreement-download agreement-pair agreement-topics agreement-topics-download
    agreement-variation agreement-variation@chart agreement-variation-download assessor-quality
    assessor-quality-download qrels-list qrels-freeze qrels qrels-download qrels-compare
    qrels-changes qrels-policies qrels-policies-download adjudication disagreements-download
    consensus consensus-pair click-logs click-log-import preference-results
    preference-results-download disagreement-effect disagreement-effect@chart
    disagreement-download reusability reusability-report simulation simulation-report stopping
    stopping@chart stopping-download interim-scores interim-scores-download score-release
    estimates estimates-download score-set-changes@draft archive archive-download studies
    study-new study-gold study-practice study study-edit study-start study-stop study-extend
    study-keys study-try study-try-download study-more-labels study-payments
    study-payments-download study-batch-list study-batch-new study-batch-paid study-batch-void
    study-reconcile study-worker study-worker-withdraw study-workers study-workers-download
    comparison-plans comparison-plan-new comparison-plan comparison-plan-close data-file-new
    data-file-edit data-file-release public-page-edit public-page-publish qrels-release
    score-publish teams people-team invitation-list invitations-download
    ownership-transfer@chosen
GET    200  200  200  200  200  200  200  200
    help help@search help-page help-image measures pooling-methods interleaving measure
    measure@chart login home@all health metrics join coefficients crowd-end crowd-instructions
    reminders-stop api-measure-list api-measure-detail api-schema api-schema-json api-docs
    data-file@open public-campaign@published api-data-file-list account_login
    account_email_verification_sent account_confirm_email account_reset_password
    account_reset_password_done account_reset_password_from_key
    account_reset_password_from_key_done
GET    401  404  404  404  404  404  200  404
    api-member-detail api-pool-detail api-pool-csv api-pool-json api-pool-ntcir api-pool-strata
    api-pool-prels api-pool-txt api-plan-detail api-study-detail api-study-progress
    api-study-checks api-study-batches api-stopping-rule-detail api-automatic-detail
    api-study-payments-csv api-study-payments-json api-study-workers-csv api-study-workers-json
    api-qrels-detail api-qrels-text api-score-set-detail@draft
GET    302  404  403  200  200  403  200  404
    runs runs-submitted runs-download run-upload scores paper paper-download paper-download@all
    score-set compare pairs pairs@chart pairs-download measures-compared-download
    measures-compared score-set-download
GET    401  200  200  200  200  200  200  200
    api-campaign-list api-member-list api-topic-list api-document-list api-run-list
    api-pool-list api-plan-list api-study-list api-stopping-rule-list api-judgment-list
    api-comparison-list api-automatic-list api-qrels-list api-score-set-list api-task-list
GET    302  404  403  200  404  403  200  404
    run run-file run-withdraw paper@team paper@chart paper-download@team run-scores
    run-scores-changes run-scores@chart run-scores-download
GET    302  404  403  403  403  200  403  404
    work my-judgments judge-change judge-duplicate judge-docnos judge my-judgments-file
    comparisons my-preferences comparison-desk
GET    302  404  403  404  404  403  200  404
    score-set@draft compare@chart pairs@draft compare-download measures-compared@draft
    score-set-download@draft run-scores@draft run-scores-changes@draft
GET    401  404  404  200  404  404  200  404
    api-run-detail api-run-file api-score-set-paper@team api-run-scores-detail
    api-run-scores-csv api-run-scores-json api-run-scores-txt
GET    302  404  200  200  200  200  200  404
    campaign topics topic documents document document-body errata tasks data data-checksums
    prompt-cards
GET    401  404  404  200  200  404  200  404
    api-score-set-detail api-score-set-csv api-score-set-leaderboard api-score-set-paper
    api-score-set-paper-zip
GET    302  404  404  200  200  404  200  404
    data-file team-terms
GET    404  404  404  200  200  404  200  404
    api-data-file-detail api-data-file-file
GET    404  404  404  404  404  404  200  404
    public-campaign
GET    303  303  303  303  303  303  303  303
    crowd-consent crowd-leave crowd-practice crowd-unit
GET    302  200  200  200  200  200  200  200
    password_change password_change_done account account_email account_reauthenticate mfa_index
    mails
GET    302  404  404  200  404  404  404  404
    mail
GET    302  404  403  403  403  403  404  404
    estimate-file agreement@no-chart qrels-aggregation round-end task-edit
GET    401  404  200  200  200  200  200  404
    api-campaign-detail api-campaign-errata api-topic-detail api-document-detail
GET    302  302  302  302  302  302  302  302
    measure@spelt token-create account-export account-delete mfa_authenticate mfa_reauthenticate
    mfa_activate_totp mfa_generate_recovery_codes
GET    302  404  403  403  403  403  409  404
    topics-delete documents-delete
GET    401  404  403  403  403  403  200  404
    api-preferences-detail api-verdict-list api-estimate-list api-witness-list
GET    200  200  302  302  302  302  302  302
    home
GET    302  403  403  403  403  403  200  200
    campaign-new
GET    302  404  403  403  403  200  200  404
    guidelines
GET    302  404  403  403  403  403  302  404
    member-add ownership-transfer
GET    302  404  404  200  200  404  404  404
    team team-leave
GET    302  200  302  302  302  302  302  200
    team_register
GET    200  302  302  302  302  302  302  302
    account_signup
GET    302  404  404  404  404  404  404  404
    totp-picture mfa_deactivate_totp mfa_view_recovery_codes mfa_download_recovery_codes
GET    302  404  404  200  404  404  200  404
    job
GET    302  404  403  403  403  403  422  404
    pool-freeze
GET    302  404  403  403  403  302  403  404
    judge-training
GET    302  404  403  403  403  403  403  404
    adjudicate
GET    403  403  403  403  403  403  403  403
    crowd-door
GET    404  404  404  404  404  404  404  404
    crowd-file
GET    401  404  403  403  403  200  200  404
    api-progress-detail
GET    401  404  404  404  404  404  404  404
    api-qrels-aggregation api-task-detail
PATCH  401  404  403  403  403  403  200  404
    api-campaign-detail
POST   302  404  403  403  403  403  200  404
    campaign-settings visibility-change campaign-close campaign-reopen campaign-delete
    member-add member-remove topics-import documents-import submissions-close submissions-reopen
    pools plan-new plan-close plan-reassign review-new erratum-new qrels-list qrels-freeze
    round-open disagreement-round simulation@filled score-release study-stop study-batch-new
    study-batch-paid study-batch-void comparison-plan-new comparison-plan-close
    study-worker-withdraw data-file-release public-page-publish qrels-release score-publish
    people-team invitation-list
POST   302  404  404  200  200  404  404  404
    team team-leave
POST   302  404  404  409  409  404  200  404
    team-terms
POST   302  200  302  302  302  302  302  200
    team_register
POST   200  302  302  302  302  302  302  302
    account_signup
POST   404  404  404  404  404  404  404  404
    account_confirm_email
POST   302  404  403  403  403  403  302  404
    ownership-transfer team-request-approve invite invitation-revoke plan-assign plan-pause
    alarm-aside slots-return slot-reopen automatic-list archive consensus-pair consensus-undo
    reusability simulation stopping mail-cancel score-evaluate study-more-labels
    study-worker-undo study-workers comparison-plan-pause comparison-plan-reopen
    data-file-remove public-page-edit public-page-withdraw model-release rehearsal-new
POST   302  404  403  403  403  403  422  404
    task-new run-form model model-new pool-freeze training-sets judgments-import
    click-log-import study-new study-gold study-practice study-edit study-start study-extend
    study-bonus study-reconcile study-dispute data-file-new data-file-edit message-new
    campaign-copy
POST   401  404  403  403  403  200  403  404
    judge-sync judge-ahead judge-renew api-judgment-list api-judgment-next api-judgment-skip
    api-comparison-list api-comparison-next api-comparison-skip
POST   401  404  403  403  403  403  201  404
    api-preferences-import api-member-list api-topic-import api-document-import api-pool-list
    api-stopping-rule-list api-automatic-list api-qrels-list api-data-file-list api-task-list
POST   302  404  403  403  403  302  403  404
    judge-skip judge review-done my-review comparison-desk comparison-skip comparison-undo
POST   302  404  403  403  403  403  409  404
    collection-files topics-delete documents-delete study-pause study-keys study-try
    team-request-refuse mail-requeue campaign-restore
POST   303  303  303  303  303  303  303  303
    crowd-answer crowd-consent crowd-finish crowd-leave crowd-practice
POST   401  404  404  404  404  404  200  404
    api-plan-pause api-plan-resume api-study-stop api-plan-close api-automatic-judgments
POST   200  200  200  200  200  200  200  200
    login account_login account_reset_password account_reset_password_from_key crowd-fake-return
    api-interleaving-list api-click-preferences-list reminders-stop
POST   302  302  302  302  302  302  302  302
    logout account_logout language theme account-delete mfa_authenticate mfa_reauthenticate
    mfa_activate_totp mfa_generate_recovery_codes
POST   302  404  404  404  404  404  404  404
    token-revoke
POST   401  404  403  403  403  403  409  404
    api-campaign-visibility api-campaign-close-submissions api-plan-list api-plan-preview
    api-campaign-close api-campaign-reopen api-campaign-delete api-campaign-restore
POST   401  404  403  403  403  403  400  404
    api-campaign-reopen-submissions api-campaign-errata api-campaign-copy
POST   401  404  404  404  404  404  409  404
    api-member-remove api-study-batches api-study-batch-paid api-study-start api-study-pause
    api-study-resume api-qrels-release
POST   302  200  200  200  200  200  200  200
    password_change account account_reauthenticate
POST   302  422  422  422  422  422  422  422
    token-create
GET    302  403  403  403  403  403  403  403
    removals
POST   302  404  403  403  403  403  403  404
    adjudicate adjudication-skip adjudication-undo
POST   302  404  403  403  403  403  404  404
    round-end study-worker-aside task-edit task-delete
POST   401  404  403  403  403  409  403  404
    api-judgment-undo api-comparison-undo
POST   200  302  409  409  409  302  409  302
    join
POST   302  403  403  403  403  403  200  200
    campaign-new
POST   302  404  403  302  302  403  302  404
    rejections-dismiss
POST   302  404  403  422  422  403  422  404
    run-upload
POST   302  404  403  409  404  403  409  404
    run-check
POST   302  404  403  200  404  403  200  404
    run-withdraw
POST   302  404  403  403  403  204  403  404
    judge-return
POST   302  404  403  403  403  404  403  404
    judge-training
POST   302  404  403  403  403  409  403  404
    judge-undo
POST   403  403  403  403  403  403  403  403
    crowd-webhook
POST   409  409  409  409  409  409  409  409
    crowd-begin
POST   401  403  403  403  403  403  201  201
    api-campaign-list
POST   401  404  403  201  201  403  201  404
    api-run-list
POST   401  404  404  200  404  404  200  404
    api-run-withdraw
POST   401  404  403  403  403  403  200  404
    api-pool-preview
POST   401  404  403  403  403  403  202  404
    api-score-set-evaluate
POST   401  404  404  403  403  404  409  404
    api-score-set-release api-score-set-publish api-data-file-release
"""


def rows() -> list[tuple[str, str, list[int]]]:
    """Name, method and the status for each of ``tests.world.site.ROLES``."""
    found, method, told = [], "", list[int]()
    for line in TABLE.splitlines():
        words = line.split()
        if line[:1].isalpha():
            method, told = words[0], [int(status) for status in words[1:]]
        elif line.startswith(" "):
            found += [(name, method, told) for name in words]
    return found
