package io.fairlead.internal.access;

import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Worker;
import io.fairlead.internal.access.AccessRule.RegionRule;
import io.fairlead.internal.access.AccessRule.Services;
import io.fairlead.internal.config.HoconFile;
import io.fairlead.internal.files.FilePath;
import io.fairlead.internal.names.NearestName;
import io.fairlead.internal.names.ShownText;
import io.fairlead.spi.host.FileRights;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Parses a file of rules, in HOCON: a list named {@code rules}, whose parts config/fairlead-acl.conf explains. Anything
 * unknown is an error: a mistyped word would otherwise allow or refuse something unintended.
 */
final class AccessFileParser {
    private static final String WHAT = "access file";
    private static final String RULES = "rules";
    private static final String IDENTITY = "identity";
    private static final String CONNECT = "connect";
    private static final String MESSAGES = "messages";
    private static final String SERVICES = "services";
    private static final String PUBLISH = "publish";
    private static final String SUBSCRIBE = "subscribe";
    private static final String REGIONS = "regions";
    private static final String LABEL = "label";
    private static final String RIGHTS = "rights";
    private static final String SEPARATOR = "/";
    private static final int RULES_MAX = 10_000;
    private static final List<Network> EVERYWHERE = List.of(Network.of("0.0.0.0/0"), Network.of("::/0"));

    private final Path file;

    private AccessFileParser(Path file) {
        this.file = file;
    }

    /**
     * The path of the file.
     *
     * @param name the configured name
     * @throws FairleadException {@code CONFIGURATION} if this JVM cannot represent the name as a path
     */
    static Path path(String name) {
        return FilePath.of(name, WHAT, "named by security.acl");
    }

    /**
     * Reads a file.
     *
     * @throws FairleadException {@code CONFIGURATION} with one line: the fault, its position, and the remedy
     */
    static AccessRules read(Path file) {
        if (FileRights.isWritableByAll(file)) {
            throw new FairleadException(
                    Reason.CONFIGURATION,
                    WHAT + ": all users of this host can write the rules and let anybody in: security.acl=" + file
                            + "; chmod o-w " + file);
        }
        ConfigObject root = HoconFile.readAlone(file, WHAT, "named by security.acl");
        Path name = file.getFileName();
        return new AccessRules(
                new AccessFileParser(file).rules(root), name == null ? file.toString() : name.toString());
    }

    private List<AccessRule> rules(ConfigObject root) {
        checkKeys(root, Set.of(RULES));
        ConfigValue rules = root.get(RULES);
        if (!(rules instanceof ConfigList list)) {
            throw problem(
                    rules == null ? root : rules, RULES + " is missing or no list; write " + RULES + " = [ ... ]");
        }
        if (list.size() > RULES_MAX) {
            throw problem(list, "too many rules: count=" + list.size() + ", at most " + RULES_MAX);
        }
        return list.stream().map(this::rule).toList();
    }

    private AccessRule rule(ConfigValue value) {
        if (!(value instanceof ConfigObject rule)) {
            throw problem(value, "a rule is no section; write { " + IDENTITY + " = ..., " + CONNECT + " = true }");
        }
        checkKeys(rule, Set.of(IDENTITY, CONNECT, MESSAGES, SERVICES, PUBLISH, SUBSCRIBE, REGIONS));
        ConfigValue identity = rule.get(IDENTITY);
        if (identity == null) {
            throw problem(rule, "a rule names no peer; write " + IDENTITY + " = \"dns:feed.example.org\" or another");
        }
        if (identity instanceof ConfigList list && list.isEmpty()) {
            throw problem(
                    identity,
                    "a rule with an empty list of identities is about nobody; name one, or leave out the rule");
        }
        ConfigValue connect = rule.get(CONNECT);
        if (connect == null) {
            throw problem(
                    rule,
                    "a rule does not say whether its peers may connect; write " + CONNECT
                            + " = true, false, or a list of networks");
        }
        return new AccessRule(
                texts(IDENTITY, identity, IdentityPattern::of),
                networks(connect),
                messages(rule.get(MESSAGES)),
                services(rule.get(SERVICES)),
                globs(PUBLISH, rule.get(PUBLISH)),
                globs(SUBSCRIBE, rule.get(SUBSCRIBE)),
                regions(rule.get(REGIONS)));
    }

    private List<Network> networks(ConfigValue connect) {
        if (connect.valueType() == ConfigValueType.BOOLEAN) {
            return Boolean.TRUE.equals(connect.unwrapped()) ? EVERYWHERE : List.of();
        }
        return texts(CONNECT, connect, Network::of);
    }

    private boolean messages(@Nullable ConfigValue value) {
        if (value != null && value.valueType() != ConfigValueType.BOOLEAN) {
            throw problem(value, MESSAGES + " is neither true nor false; write " + MESSAGES + " = true");
        }
        return value != null && Boolean.TRUE.equals(value.unwrapped());
    }

    private Services services(@Nullable ConfigValue value) {
        if (value == null) {
            return Services.NONE;
        }
        if (value.valueType() == ConfigValueType.BOOLEAN) {
            return Boolean.TRUE.equals(value.unwrapped()) ? Services.ALL : Services.NONE;
        }
        List<? extends ConfigValue> tags = value instanceof ConfigList list ? list : List.of(value);
        return new Services(false, tags.stream().map(this::service).collect(Collectors.toSet()));
    }

    private Long service(ConfigValue value) {
        String text = value.render(ConfigRenderOptions.concise());
        try {
            // A number as it is written, or text, because of hexadecimal digits.
            long tag = Long.decode(
                    value.valueType() == ConfigValueType.STRING
                            ? value.unwrapped().toString()
                            : text);
            if (tag >= 0 && tag <= Worker.TAG_MAX) {
                return tag;
            }
        } catch (NumberFormatException noNumber) {
            // Refused below.
        }
        throw problem(
                value,
                SERVICES + " holds what is no tag of a service: " + ShownText.of(text)
                        + ", allowed 0 to 2^48 - 1; write " + SERVICES + " = true, or tags such as [17, \"0x1100\"]");
    }

    private List<Glob> globs(String key, @Nullable ConfigValue value) {
        return value == null ? List.of() : texts(key, value, text -> new Glob(text, SEPARATOR));
    }

    private List<RegionRule> regions(@Nullable ConfigValue value) {
        if (value == null) {
            return List.of();
        }
        if (!(value instanceof ConfigList list)) {
            throw problem(
                    value, REGIONS + " is no list; write " + REGIONS + " = [ { label = \"cache\", rights = [read] } ]");
        }
        List<RegionRule> regions = new ArrayList<>();
        for (ConfigValue entry : list) {
            if (!(entry instanceof ConfigObject region) || region.get(LABEL) == null || region.get(RIGHTS) == null) {
                throw problem(entry, "a region needs a label and rights; write { label = \"cache\", rights = [read] }");
            }
            checkKeys(region, Set.of(LABEL, RIGHTS));
            Set<AccessRight> rights = EnumSet.noneOf(AccessRight.class);
            rights.addAll(texts(RIGHTS, region.get(RIGHTS), AccessFileParser::right));
            globs(LABEL, region.get(LABEL)).forEach(label -> regions.add(new RegionRule(label, Set.copyOf(rights))));
        }
        return regions;
    }

    private static AccessRight right(String text) {
        return Arrays.stream(AccessRight.values())
                .filter(right -> right.name().equals(text.toUpperCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "unknown right: " + ShownText.of(text) + "; there are read, write and atomic"));
    }

    /** A text, or a list of texts. */
    private <T> List<T> texts(String key, ConfigValue value, Function<String, T> reader) {
        if (value instanceof ConfigList list) {
            return list.stream().map(entry -> text(key, entry, reader)).toList();
        }
        return List.of(text(key, value, reader));
    }

    private <T> T text(String key, ConfigValue value, Function<String, T> reader) {
        if (value.valueType() != ConfigValueType.STRING) {
            throw problem(
                    value,
                    key + " holds what is no text: " + ShownText.of(value.render(ConfigRenderOptions.concise()))
                            + "; write text in quotes");
        }
        try {
            return reader.apply(value.unwrapped().toString());
        } catch (IllegalArgumentException wrong) {
            throw problem(value, String.valueOf(wrong.getMessage()));
        }
    }

    private void checkKeys(ConfigObject section, Set<String> known) {
        for (String key : section.keySet()) {
            if (!known.contains(key)) {
                String meant = NearestName.of(key, known)
                        .map(name -> ", did you mean " + name + "?")
                        .orElse("; there " + (known.size() == 1 ? "is " : "are ")
                                + known.stream().sorted().collect(Collectors.joining(", ")));
                throw problem(section.getOrDefault(key, section), "unknown key: key=" + ShownText.of(key) + meant);
            }
        }
    }

    private FairleadException problem(ConfigValue where, String what) {
        return new FairleadException(
                Reason.CONFIGURATION, WHAT + ": " + what + " (" + HoconFile.location(where.origin(), file) + ")");
    }
}
