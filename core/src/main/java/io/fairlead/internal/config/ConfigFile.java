package io.fairlead.internal.config;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigSyntax;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.internal.config.FileEntry.Kind;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads a configuration file in HOCON. The only class that knows the library which parses it. */
final class ConfigFile {
    private ConfigFile() {}

    /**
     * Reads a file.
     *
     * @param file the file
     * @param namedBy who asks for it, for failures
     * @return its assignments in the order of their lines
     * @throws FairleadException {@code CONFIGURATION} if it cannot be read or is not HOCON
     */
    static List<FileEntry> read(Path file, String namedBy) {
        checkReadable(file, namedBy);
        ConfigObject root;
        try {
            root = ConfigFactory.parseFile(
                            file.toFile(),
                            ConfigParseOptions.defaults()
                                    .setSyntax(ConfigSyntax.CONF)
                                    .setAllowMissing(false))
                    .resolve()
                    .root();
        } catch (ConfigException malformed) {
            throw failure(describe(malformed, file), malformed);
        }
        List<Located> found = new ArrayList<>();
        collect("", root, file, found);
        found.sort(Comparator.comparing(Located::file)
                .thenComparingInt(Located::line)
                .thenComparing(located -> located.entry().name()));
        return found.stream().map(Located::entry).toList();
    }

    private record Located(FileEntry entry, String file, int line) {}

    private static void checkReadable(Path file, String namedBy) {
        if (Files.notExists(file)) {
            throw failure("configuration file does not exist: file=" + file + " (" + namedBy + ")", null);
        }
        if (!Files.isRegularFile(file)) {
            throw failure("configuration file is not a regular file: file=" + file + " (" + namedBy + ")", null);
        }
        try {
            // The parser would put replacement characters where the text is not UTF-8.
            Files.readString(file);
        } catch (CharacterCodingException notUtf8) {
            throw failure("configuration file is not UTF-8: file=" + file + " (" + namedBy + ")", notUtf8);
        } catch (IOException unreadable) {
            throw failure(
                    "configuration file cannot be read: file=" + file + ", cause="
                            + unreadable.getClass().getSimpleName() + " (" + namedBy + ")",
                    unreadable);
        }
    }

    private static void collect(String prefix, ConfigObject section, Path file, List<Located> found) {
        section.forEach((key, value) -> {
            String name = prefix.isEmpty() ? key : prefix + "." + key;
            if (value instanceof ConfigObject object && !object.isEmpty()) {
                collect(name, object, file, found);
                return;
            }
            ConfigOrigin origin = value.origin();
            String text = text(value);
            FileEntry entry = new FileEntry(name, kind(value), text, location(origin, file));
            found.add(new Located(entry, fileName(origin, file), origin.lineNumber()));
        });
    }

    private static Kind kind(ConfigValue value) {
        return switch (value.valueType()) {
            case NULL -> Kind.NOTHING;
            case OBJECT -> Kind.EMPTY_SECTION;
            default -> Kind.VALUE;
        };
    }

    private static String text(ConfigValue value) {
        if (value instanceof ConfigList list) {
            return list.stream().map(ConfigFile::text).collect(Collectors.joining(","));
        }
        // Numbers are rendered as they were written; their unwrapped form may not be.
        return value.valueType() == ConfigValueType.STRING
                ? value.unwrapped().toString()
                : value.render(ConfigRenderOptions.concise());
    }

    /** One line, with the place at its end rather than at its beginning. */
    private static String describe(ConfigException malformed, Path file) {
        ConfigOrigin origin = malformed.origin();
        String message = String.valueOf(malformed.getMessage());
        String location = file.toString();
        if (origin != null) {
            location = location(origin, file);
            String prefix = origin.description() + ": ";
            message = message.startsWith(prefix) ? message.substring(prefix.length()) : message;
        }
        return "configuration file is not valid HOCON: "
                + message.replaceAll("[\\s\\p{Cc}]+", " ").strip() + " (" + location + ")";
    }

    private static String location(ConfigOrigin origin, Path file) {
        String name = fileName(origin, file);
        return origin.lineNumber() > 0 ? name + ":" + origin.lineNumber() : name;
    }

    /** An included file has its own name. */
    private static String fileName(ConfigOrigin origin, Path file) {
        String name = origin.filename();
        return name == null ? file.toString() : name;
    }

    private static FairleadException failure(String message, @Nullable Throwable cause) {
        return cause == null
                ? new FairleadException(Reason.CONFIGURATION, message)
                : new FairleadException(Reason.CONFIGURATION, message, cause);
    }
}
