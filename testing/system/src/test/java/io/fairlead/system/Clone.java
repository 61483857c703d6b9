package io.fairlead.system;

import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The clone that a test runs in. */
public final class Clone {
    private static final Pattern VERSION = Pattern.compile("(?m)^  <version>(.+)</version>$");

    private Clone() {}

    /** The version of its modules. */
    public static String version() {
        try {
            Matcher version =
                    VERSION.matcher(Files.readString(RepositoryRoot.path().resolve("pom.xml")));
            if (!version.find()) {
                throw new AssertionError("pom.xml has no version");
            }
            return version.group(1);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
