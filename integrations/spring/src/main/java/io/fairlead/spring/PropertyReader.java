package io.fairlead.spring;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.config.ConfigKey;
import io.fairlead.internal.names.NearestName;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Reads an application's properties below {@code fairlead} as values of Fairlead's keys, which bring name, type and range. */
final class PropertyReader {
    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("fairlead");
    private static final Bindable<List<String>> LIST = Bindable.listOf(String.class);

    private final Iterable<ConfigurationPropertySource> sources;
    private final Binder binder;

    private PropertyReader(Environment environment) {
        sources = ConfigurationPropertySources.get(environment);
        binder = Binder.get(environment);
    }

    /**
     * Reads the configuration. Properties come before what {@link FairleadConfig#load()} finds.
     *
     * @throws FairleadException {@code CONFIGURATION}, one line that names the property, its value, what is allowed, and where it stands
     */
    static FairleadConfig read(Environment environment) {
        FairleadConfig config = FairleadConfig.load();
        PropertyReader reader = new PropertyReader(environment);
        reader.refuseUnknown(config.keys());
        for (ConfigKey<?> key : config.keys()) {
            config = reader.apply(config, key);
        }
        refuseInFile(config);
        return config;
    }

    /**
     * Reads one property alone, before there is a configuration.
     *
     * @throws FairleadException as {@link #read(Environment)}
     */
    static <T> T read(Environment environment, ConfigKey<T> key) {
        return new PropertyReader(environment).value(key).orElse(key.defaultValue());
    }

    private <T> FairleadConfig apply(FairleadConfig config, ConfigKey<T> key) {
        return value(key).map(value -> config.with(key, value)).orElse(config);
    }

    private <T> Optional<T> value(ConfigKey<T> key) {
        ConfigurationPropertyName name = ROOT.append(key.name());
        String text = text(name);
        return text == null ? Optional.empty() : Optional.of(value(key, name, text));
    }

    private @Nullable String text(ConfigurationPropertyName name) {
        String text = binder.bind(name, Bindable.of(String.class)).orElse(null);
        if (text == null) {
            return binder.bind(name, LIST).map(list -> String.join(",", list)).orElse(null);
        }
        ConfigurationProperty property = property(name);
        boolean cleared = property != null && text.isBlank() && isEnvironment(property.getSource());
        // Scripts and container files clear a variable by setting it to nothing.
        return cleared ? null : text;
    }

    private <T> T value(ConfigKey<T> key, ConfigurationPropertyName name, String text) {
        try {
            return key.parse(text);
        } catch (IllegalArgumentException refused) {
            Optional<T> switched = ofYamlSwitch(key, text);
            if (switched.isPresent()) {
                return switched.get();
            }
            throw new FairleadException(
                    FairleadException.Reason.CONFIGURATION,
                    ROOT + "." + refused.getMessage() + origin(property(name)),
                    refused);
        }
    }

    /** YAML reads the words off and on as false and true. */
    private static <T> Optional<T> ofYamlSwitch(ConfigKey<T> key, String text) {
        String word = Map.of("false", "off", "true", "on").get(text);
        if (word == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(key.parse(word));
        } catch (IllegalArgumentException other) {
            return Optional.empty();
        }
    }

    /** Names of variables do not say where words end, and core has looked at them; system properties are anybody's. */
    private void refuseUnknown(List<ConfigKey<?>> keys) {
        Set<ConfigurationPropertyName> known = new HashSet<>();
        keys.forEach(key -> known.add(ROOT.append(key.name())));
        for (ConfigurationPropertySource source : sources) {
            if (source instanceof IterableConfigurationPropertySource names && !isOfTheProcess(source)) {
                names.stream()
                        .filter(name -> ROOT.isAncestorOf(name) && !known.contains(withoutIndex(name)))
                        .findFirst()
                        .ifPresent(name -> {
                            throw new FairleadException(
                                    FairleadException.Reason.CONFIGURATION,
                                    "unknown property: property=" + name + meant(name, keys)
                                            + origin(source.getConfigurationProperty(name)));
                        });
            }
        }
    }

    private static String meant(ConfigurationPropertyName name, List<ConfigKey<?>> keys) {
        return NearestName.of(
                        withoutIndex(name).toString(),
                        keys.stream().map(key -> ROOT + "." + key.name()).toList())
                .map(nearest -> ", did you mean " + nearest + "?")
                .orElse(
                        "; properties are the keys of config/fairlead.conf with fairlead. before them, and a transport's keys need its module on the path");
    }

    private static ConfigurationPropertyName withoutIndex(ConfigurationPropertyName name) {
        return name.isLastElementIndexed() ? name.getParent() : name;
    }

    /** Conditions look at properties alone, so that a key of this starter would do half of its work in a file. */
    private static void refuseInFile(FairleadConfig config) {
        for (ConfigKey<?> key : new SpringKeys().configKeys()) {
            String origin = config.origin(key);
            if (!origin.equals("default") && !origin.equals("code")) {
                throw new FairleadException(
                        FairleadException.Reason.CONFIGURATION,
                        key.name() + " is a property of Spring applications alone: set " + ROOT + "." + key.name()
                                + " in application.yml (" + origin + ")");
            }
        }
    }

    private @Nullable ConfigurationProperty property(ConfigurationPropertyName name) {
        for (ConfigurationPropertySource source : sources) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            if (property != null) {
                return property;
            }
        }
        return null;
    }

    private static String origin(@Nullable ConfigurationProperty property) {
        Origin origin = property == null ? null : property.getOrigin();
        return origin == null ? "" : " (" + origin + ")";
    }

    private static boolean isEnvironment(@Nullable ConfigurationPropertySource source) {
        return source != null && source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
    }

    private static boolean isOfTheProcess(ConfigurationPropertySource source) {
        if (isEnvironment(source)) {
            return true;
        }
        return source.getUnderlyingSource() instanceof PropertySource<?> properties
                && properties.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
    }
}
