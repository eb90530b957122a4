-- compose.yaml has the image run this once, when its volume is made: the role that owns the tables, the one that the apps
-- connect as, and their database.
\getenv owner_password OWNER_PASSWORD
\getenv app_password APP_PASSWORD
create role agents_owner login password :'owner_password';
create role agents login password :'app_password';
create database agents owner agents_owner;
