package io.fairlead.build.supply;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reports which signatures of docs/api are gone since the last tag. {@code tools/build/bundle} starts it from its source. */
final class CheckSignatures {
    private CheckSignatures() {}

    /**
     * Prints what is gone, and exits with 1 if the version is one that may take nothing away.
     *
     * @param arguments the root of the repository, and the version to release
     */
    static void main(String[] arguments) throws IOException, InterruptedException {
        Path root = Path.of(arguments[0]);
        String version = arguments[1];
        List<String> tags = git(root, "tag", "--list", "v*", "--sort=-version:refname", "--merged", "HEAD");
        if (tags.isEmpty()) {
            System.out.println("signatures: no tag to compare with, this is the first release");
            return;
        }
        String last = tags.getFirst();
        List<String> gone = gone(git(root, "diff", "--unified=0", last, "--", "docs/api"));
        gone.forEach(signature -> System.out.println("gone since " + last + ": " + signature));
        System.out.println("signatures: gone since " + last + "=" + gone.size());
        if (!gone.isEmpty() && mayTakeNothingAway(last, version)) {
            System.err.println("fairlead: version takes signatures away: version=" + version + ", last=" + last
                    + "; release it with a greater second number, or bring them back");
            System.exit(1);
        }
    }

    /** Lines that a difference takes away and does not bring back elsewhere. */
    static List<String> gone(List<String> difference) {
        List<String> gone = new ArrayList<>();
        difference.stream()
                .filter(line -> line.startsWith("-") && !line.startsWith("---"))
                .forEach(line -> gone.add(line.substring(1).strip()));
        difference.stream()
                .filter(line -> line.startsWith("+") && !line.startsWith("+++"))
                .forEach(line -> gone.remove(line.substring(1).strip()));
        gone.removeIf(String::isEmpty);
        return gone;
    }

    /** Whether the first two numbers equal the last release's. */
    static boolean mayTakeNothingAway(String lastTag, String version) {
        return lastTag.startsWith("v" + version.substring(0, version.indexOf('.', version.indexOf('.') + 1) + 1));
    }

    private static List<String> git(Path root, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("git", "-C", root.toString()));
        command.addAll(List.of(arguments));
        Process git = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (git.waitFor() != 0) {
            throw new IOException("git failed: " + command);
        }
        return said.lines().toList();
    }
}
