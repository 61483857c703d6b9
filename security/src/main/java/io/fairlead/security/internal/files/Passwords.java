package io.fairlead.security.internal.files;

import io.fairlead.FairleadConfig;
import io.fairlead.security.SecurityKeys;
import java.util.Map;
import java.util.Optional;

/** The source of the keys' password: a file, or else the environment. */
public final class Passwords {
    /** The environment variable. */
    public static final String VARIABLE = "FAIRLEAD_SECURITY_PASSWORD";

    private final Optional<NamedFile> file;
    private final Map<String, String> environment;

    Passwords(FairleadConfig config, Map<String, String> environment) {
        this.file = NamedFile.of(config, SecurityKeys.PASSWORD_FILE);
        this.environment = environment;
    }

    Optional<NamedFile> file() {
        return file;
    }

    /** The setting that a user corrects. */
    String origin() {
        return file.map(named -> named.key().name()).orElse("the environment variable " + VARIABLE);
    }

    /** The password of an encrypted file; the caller clears it. */
    char[] need(NamedFile encrypted) {
        return find().orElseThrow(() -> encrypted.problem(
                "is encrypted and there is no password",
                "set " + SecurityKeys.PASSWORD_FILE.name() + " or the environment variable " + VARIABLE));
    }

    /** The password; the caller clears it. */
    Optional<char[]> find() {
        if (file.isPresent()) {
            file.get().demandPrivate();
            return Optional.of(firstLine(file.get().readText()));
        }
        return Optional.ofNullable(environment.get(VARIABLE)).map(String::toCharArray);
    }

    private static char[] firstLine(String text) {
        return text.lines().findFirst().orElse("").toCharArray();
    }
}
