"""What a deployment creates in AWS: the CloudFormation template, and the command's work that lays it."""
