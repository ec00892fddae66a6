/** The programs in examples/, in the order of the tabs. A test runs each. */
export const examplePrograms = [
  { id: 'curl', language: 'sh', name: 'curl', file: 'award.sh', run: 'bash award.sh' },
  { id: 'typescript', language: 'typescript', name: 'TypeScript', file: 'award.ts', run: 'node award.ts' },
  { id: 'python', language: 'python', name: 'Python', file: 'award.py', run: 'python3 award.py' },
  { id: 'php', language: 'php', name: 'PHP', file: 'award.php', run: 'php award.php' },
  { id: 'go', language: 'go', name: 'Go', file: 'award.go', run: 'go run award.go' },
  { id: 'java', language: 'java', name: 'Java', file: 'Award.java', run: 'java Award.java' },
  { id: 'ruby', language: 'ruby', name: 'Ruby', file: 'award.rb', run: 'ruby award.rb' },
  { id: 'csharp', language: 'csharp', name: 'C#', file: 'Award.cs', run: 'dotnet run Award.cs' },
]

export type ExampleProgram = (typeof examplePrograms)[number]

/** Where its file can be downloaded. */
export const examplePath = ({ file }: ExampleProgram) => `/docs/examples/${file}`
