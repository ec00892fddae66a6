-- Nothing reads by it, and no two ids are alike: each has 74 random bits. It was a twentieth of the writer's work.
DROP INDEX entries_by_id;
