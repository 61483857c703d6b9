package io.fairlead.internal.config;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigIncludeContext;
import com.typesafe.config.ConfigIncluder;
import com.typesafe.config.ConfigIncluderFile;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigParseable;
import io.fairlead.internal.names.ShownText;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Refuses to include a file that is missing, or that cannot be read. HOCON allows that, and the keys of the file, such as
 * {@code security.mode}, would silently have their defaults.
 */
final class IncludesReadable implements ConfigIncluder, ConfigIncluderFile {
    private static final List<String> EXTENSIONS = List.of("", ".conf", ".json", ".properties");

    /** The parser's own includer; set by the parser. */
    private final @Nullable ConfigIncluder parser;

    IncludesReadable() {
        this(null);
    }

    private IncludesReadable(@Nullable ConfigIncluder parser) {
        this.parser = parser;
    }

    @Override
    public ConfigIncluder withFallback(ConfigIncluder fallback) {
        return new IncludesReadable(parser == null ? fallback : parser.withFallback(fallback));
    }

    @Override
    public ConfigObject include(ConfigIncludeContext context, String what) {
        requireReadable(what, name -> {
            ConfigParseable candidate = context.relativeTo(name);
            String file = candidate == null ? null : candidate.origin().filename();
            return file == null ? what : file;
        });
        return parser().include(context, what);
    }

    @Override
    public ConfigObject includeFile(ConfigIncludeContext context, File what) {
        requireReadable(what.getPath(), UnaryOperator.identity());
        if (parser() instanceof ConfigIncluderFile files) {
            return files.includeFile(context, what);
        }
        throw new IllegalStateException("the parser of HOCON includes no files");
    }

    private ConfigIncluder parser() {
        if (parser == null) {
            throw new IllegalStateException("the parser of HOCON has set nothing that includes");
        }
        return parser;
    }

    /** Fails unless the name with one of the extensions names a readable file. */
    private static void requireReadable(String name, UnaryOperator<String> fileNamed) {
        boolean found = false;
        for (String extension : EXTENSIONS) {
            found |= isReadable(fileNamed.apply(name + extension));
        }
        if (!found) {
            throw new ConfigException.Generic("it includes a file that is missing: include=" + ShownText.of(name)
                    + "; correct its name, or leave it out");
        }
    }

    /** Whether there is a file of that name; fails if it cannot be read. */
    private static boolean isReadable(String name) {
        Path file;
        try {
            file = Path.of(name);
        } catch (InvalidPathException impossible) {
            throw new ConfigException.Generic(
                    "it includes a file whose name this JVM cannot use: include=" + ShownText.of(name)
                            + ", sun.jnu.encoding=" + System.getProperty("sun.jnu.encoding")
                            + "; start Java with LC_ALL=C.UTF-8, or use a name in ASCII",
                    impossible);
        }
        if (Files.exists(file) && !Files.isReadable(file)) {
            throw new ConfigException.Generic("it includes a file that this user cannot read: include="
                    + ShownText.of(name) + "; let this user read it, or leave it out");
        }
        return Files.exists(file) && !Files.isDirectory(file);
    }
}
