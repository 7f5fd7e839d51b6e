"""What is kept, how it is encrypted, for how long, and what cannot be deleted by mistake."""

from tests.config import parsed
from workflows.storage import files

KINDS = {files.kind(name) for name in ("d.pdf", files.page_image(0), files.result("w"), files.manifest("b"), "debug/x")}
KINDS |= {files.kind_in(files.QUESTIONS, files.result("desk-1"))}
GOES = {"batch", "debug", "question"}


def rules():
    (bucket,) = parsed.resources("S3::Bucket").values()
    return {rule["Id"]: rule for rule in bucket["LifecycleConfiguration"]["Rules"]}


def test_every_kind_of_object_has_a_rule_and_every_rule_is_on():
    assert {tag["Value"] for rule in rules().values() for tag in rule.get("TagFilters", ())} == KINDS
    assert {rule["Status"] for rule in rules().values()} == {"Enabled"}


def test_no_rule_ends_an_original_a_result_or_an_earlier_version_of_them():
    for rule in (rules()["raw"], rules()["results"], rules()["artifacts"]):
        assert not {"ExpirationInDays", "ExpirationDate"} & set(rule)
    for name, rule in rules().items():
        if name == "incoming":
            assert rule["Prefix"] == files.INCOMING  # before a document's own copy
            continue
        ends_versions = {"NoncurrentVersionExpiration", "NoncurrentVersionExpirationInDays"} & set(rule)
        kinds = {tag["Value"] for tag in rule.get("TagFilters", ())}
        # Without a tag it would end all.
        assert not ends_versions or kinds <= {"artifact", *GOES}, rule["Id"]
        assert "ExpirationInDays" not in rule or (len(kinds) == 1 and kinds <= GOES), rule["Id"]


def test_everything_that_keeps_something_uses_the_key_where_there_is_one():
    key = [{"GetAtt": "Key.Arn"}, {"Ref": "Key"}]
    for name, queue in parsed.resources("SQS::Queue").items():
        assert queue["KmsMasterKeyId"] == {"If": ["HasKey", {"Ref": "Key"}, {"Ref": "AWS::NoValue"}]}, name
        assert queue["SqsManagedSseEnabled"] == {"If": ["HasKey", {"Ref": "AWS::NoValue"}, True]}, name
    for name, table in parsed.resources("DynamoDB::Table").items():
        assert parsed.plain(table["SSESpecification"])["KMSMasterKeyId"] in key, name
    for name, group in parsed.resources("Logs::LogGroup").items():
        assert parsed.plain(group["KmsKeyId"]) in key, name
    for name, topic in parsed.resources("SNS::Topic").items():
        assert parsed.plain(topic["KmsMasterKeyId"]) in key, name
    (bucket,) = parsed.resources("S3::Bucket").values()
    (rule,) = parsed.plain(bucket["BucketEncryption"])["ServerSideEncryptionConfiguration"]
    assert rule["ServerSideEncryptionByDefault"] == {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": key[0]}
    assert rule["BucketKeyEnabled"] is True
    assert parsed.resources("KMS::Key")["Key"]["EnableKeyRotation"] is True


def test_what_holds_documents_outlives_its_stack():
    for kind in ("DynamoDB::Table", "S3::Bucket", "KMS::Key", "Logs::LogGroup"):
        for name in parsed.resources(kind):
            resource = parsed.laid()["Resources"][name]
            assert (resource["DeletionPolicy"], resource["UpdateReplacePolicy"]) == ("Retain", "Retain"), name
    for table in parsed.resources("DynamoDB::Table").values():
        assert table["DeletionProtectionEnabled"] == {"If": ["IsProtected", True, False]}
        assert "PointInTimeRecoverySpecification" in table


def test_every_work_queue_has_a_dead_letter_queue_that_keeps_longest():
    queues = parsed.resources("SQS::Queue")
    work = {name: queue for name, queue in queues.items() if "VisibilityTimeout" in queue}
    assert {"StepsQueue", "DeskQueue"} <= set(work)
    for name, queue in work.items():
        dead = queue["RedrivePolicy"]["deadLetterTargetArn"]["GetAtt"].removesuffix(".Arn")
        assert queues[dead]["MessageRetentionPeriod"] == 1_209_600, name  # 14 days, all that SQS offers
